import { localCall } from '../library/index.ts'
import type { Provider } from '../library/index.ts'
import { DIRECTORY_TYPE } from '../protocol/index.ts'
import type { ResourceTemplate } from '../protocol/index.ts'
import { check, checkEqual, checkRejects } from './check.ts'
import { listAll } from './list-cases.ts'
import type { FixtureCase } from './provider-fixture.ts'
import { readBytes } from './read-bytes.ts'
import { walkPages } from './walk-pages.ts'

const MAX = 16 * 1024 * 1024

export const optionalCases: readonly FixtureCase[] = [
  {
    name: 'templates() gives each template once, at every page size',
    async run({ provider }) {
      const whole = (await templatesOf(provider, 1_000)).map((template) => template.uriTemplate)
      checkEqual(whole.length, new Set(whole).size, 'the number of different templates')
      for (const limit of [1, 2, 7]) {
        checkEqual(
          (await templatesOf(provider, limit)).map((template) => template.uriTemplate),
          whole,
          `the templates by pages of ${limit}`,
        )
      }
    },
  },
  {
    name: 'stat() agrees with list(), and with read() on what is not there',
    async run({ provider, missing }) {
      if (provider.stat === undefined) return
      const items = await listAll(provider)
      for (const item of items) {
        checkEqual((await provider.stat({ uri: item.uri }, localCall())).resource, item, `stat of ${item.uri}`)
      }
      const uri = missing ?? `${items[0]?.uri ?? ''}-nothing-here`
      await checkRejects(provider.stat({ uri }, localCall()), ['not-found'], `stat of ${uri}`)
    },
  },
  {
    name: 'children() leads to everything that is listed below a directory',
    async run({ provider, directory }) {
      if (provider.children === undefined || directory === undefined) return
      for (const limit of [1, 3, 1_000]) {
        const reached: string[] = []
        await descend(provider, directory, limit, reached, 0)
        const expected = (await listAll(provider)).map((item) => item.uri).filter((uri) => uri.startsWith(`${directory}/`))
        checkEqual(reached.toSorted(), expected.toSorted(), `what children reach by pages of ${limit}`)
      }
      checkEqual(
        await provider.children({ uri: `${directory}/`, limit: 1_000 }, localCall()),
        await provider.children({ uri: directory, limit: 1_000 }, localCall()),
        'children of a directory URI with a slash at its end',
      )
    },
  },
  {
    name: 'children() of what is no directory is not-found',
    async run({ provider, missing }) {
      if (provider.children === undefined) return
      const [item] = await listAll(provider)
      for (const uri of [item?.uri ?? '', missing ?? `${item?.uri}-nothing-here`]) {
        await checkRejects(provider.children({ uri, limit: 10 }, localCall()), ['not-found'], `children of ${uri}`)
      }
    },
  },
  {
    name: 'complete() gives values that lead to something readable, and counts honestly',
    async run({ provider }) {
      if (provider.complete === undefined) return
      for (const { uriTemplate } of await templatesOf(provider, 1_000)) {
        const only = /^([^{}]*)\{(\+?)([A-Za-z0-9_.]+)\}([^{}]*)$/.exec(uriTemplate)
        if (only === null) continue
        const [, head = '', reserved, variable = '', tail = ''] = only
        const request = { template: uriTemplate, variable, prefix: '', arguments: {} }
        const all = await provider.complete({ ...request, limit: 100 }, localCall())
        check(all.values.length <= 100, 'at most 100 values', all.values.length)
        if (all.total !== undefined) checkEqual(all.hasMore ?? false, all.total > all.values.length, 'hasMore beside total')
        for (const value of all.values) {
          // A value that ends in a slash is a step on the way, to be completed further.
          if (value.endsWith('/')) continue
          const expanded = reserved === '' ? encodeURIComponent(value) : encodeURI(value).replaceAll(/%25(?=[0-9A-F]{2})/g, '%')
          await readBytes(provider, head + expanded + tail, localCall(), MAX)
        }
        const one = await provider.complete({ ...request, limit: 1 }, localCall())
        checkEqual(one.values, all.values.slice(0, 1), 'completion limited to one value')
        if (one.total !== undefined) checkEqual(one.total, all.total, 'the total under another limit')
      }
      const foreign = { template: 'nobody-has-this://{x}', variable: 'x', prefix: '', arguments: {}, limit: 10 }
      await checkRejects(provider.complete(foreign, localCall()), ['not-found'], 'completion of a template of somebody else')
    },
  },
  {
    name: 'watch() arms and disarms',
    async run({ provider, insert }) {
      if (provider.watch === undefined) return
      const changes: string[] = []
      const watcher = await provider.watch((change) => changes.push(change.kind))
      const [item] = await listAll(provider)
      await watcher.add(item?.uri ?? '')
      if (insert !== undefined) {
        await insert()
        for (let i = 0; i < 100 && changes.length === 0; i++) await new Promise((resolve) => setTimeout(resolve, 50))
        check(changes.length > 0, 'a change to be reported within five seconds of an insertion')
      }
      watcher.remove(item?.uri ?? '')
      await watcher[Symbol.asyncDispose]()
    },
  },
]

async function templatesOf(provider: Provider, limit: number): Promise<readonly ResourceTemplate[]> {
  if (provider.templates === undefined) return []
  return walkPages(async (request) => (await provider.templates?.(request, localCall())) ?? { items: [] }, limit)
}

async function descend(provider: Provider, uri: string, limit: number, reached: string[], depth: number): Promise<void> {
  check(depth < 100, 'directories to end', uri)
  const children = await walkPages(async (request) => {
    check(provider.children !== undefined, 'children')
    return provider.children({ ...request, uri }, localCall())
  }, limit)
  for (const child of children) {
    if (child.mimeType === DIRECTORY_TYPE) await descend(provider, child.uri, limit, reached, depth + 1)
    else reached.push(child.uri)
  }
}
