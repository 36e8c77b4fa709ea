import { describe, it } from 'vitest'
import { createLibrary, definePolicy } from '../../src/index.ts'
import type { Library } from '../../src/index.ts'
import { memory } from '../../src/providers/memory/index.ts'
import { providerCases } from '../../src/testing/index.ts'

/** Own resources, enumerated templates, and mounts, one of them qualified. */
function mixed(): Library {
  const library = createLibrary({ name: 'mixed' })
    .resource('own:text', () => 'text')
    .resource('own:bytes', () => Uint8Array.of(0, 255))
    .resource('note:///caf%C3%A9', () => 'é')
    .template(
      't://{id}{?q}',
      { list: () => [{ id: 'a b' }, { id: 'ü', q: '&' }, { id: '%41' }], complete: { id: ['a b'] } },
      ({ id }) => id,
    )
    .mount(
      memory({
        name: 'plain',
        prefixes: ['m:'],
        resources: Array.from({ length: 20 }, (_, i) => ({ uri: `m:${i}`, text: `${i}` })),
      }),
    )
  const team = memory({
    name: 'team',
    resources: [
      { uri: 'x://odd/%2F%3F', text: 'odd' },
      { uri: 'urn:a:b', bytes: new Uint8Array(1000) },
    ],
  })
  return library.mount(team, { at: 'team' })
}

function fixture(library: Library) {
  let added = 0
  return async () => ({
    provider: library,
    missing: 'own:missing',
    insert: async () => {
      const uri = `own:new-${added++}`
      library.resource(uri, () => 'new')
      return uri
    },
    remove: async (uri: string) => {
      if (!library.remove(uri)) throw new Error(`${uri} cannot be taken out`)
    },
  })
}

describe('a Library passes the provider suite', () => {
  for (const { name, run } of providerCases(() => fixture(mixed())())) it(name, run)
})

describe('a Library with a policy passes the provider suite', () => {
  const hiding = () =>
    mixed().use(definePolicy({ name: 'hide', keep: (uri) => uri !== 'm:7', around: (_step, _call, next) => next() }))
  for (const { name, run } of providerCases(() => ({ provider: hiding(), missing: 'own:missing' }))) it(name, run)
})

describe('a Library in a Library passes the provider suite', () => {
  for (const { name, run } of providerCases(() => createLibrary({ name: 'outer' }).mount(mixed(), { at: 'in' }))) it(name, run)
})
