import { describe, expect, it } from 'vitest'
import { access, createLibrary, notFound } from '../../src/index.ts'
import type { AccessRule, Provider } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import type { Connection } from './engine.ts'
import { connect, envelope } from './engine.ts'
import { settle } from './recording-sink.ts'

const clock = createFakeClock()

const folder: Provider = {
  name: 'folder',
  prefixes: ['d:'],
  list: async () => ({ items: [] }),
  read: async ({ uri }) => {
    throw notFound(uri)
  },
  children: async () => ({ items: [{ uri: 'd://r/secret/x', name: 'x' }] }),
  // A link: what it opens is something else.
  stat: async ({ uri }, call) => {
    // Opening takes a moment.
    await Promise.resolve()
    if (!call.allows('read', 'd://r/secret/x')) throw notFound(uri)
    return { resource: { uri, name: 'link' } }
  },
}

const library = (...rules: readonly AccessRule[]) => {
  const policy = access({ rules })
  const shelf = createLibrary({ name: 'acme', clock })
    .use(policy)
    .mount(folder)
    .resource('a:open', () => 'open')
    .resource('a:secret', () => 'x'.repeat(6_000_000))
    .template('s://{x}', { complete: { x: ['1'] } }, () => 'x')
    .template('o://{x}', { complete: { x: ['1', '2'] } }, () => 'x')
  return { shelf, policy }
}

const RULES: readonly AccessRule[] = [{ deny: ['a:secret', 's:', 'd://r/secret', 'o://2'] }, { allow: 'any' }]

/** An answer without what the question said. */
const without = (answer: unknown, ...asked: readonly string[]) =>
  asked.reduce((text, uri) => text.replaceAll(uri, '<asked>'), JSON.stringify(answer)).replace(/"id":\d+/, '"id":0')

const requests: readonly (readonly [method: string, allowed: string, params: (uri: string) => Record<string, unknown>])[] = [
  ['resources/read', 'a:open', (uri) => ({ uri })],
  ['dev.shelfmark/stat', 'a:open', (uri) => ({ uri })],
  ['resources/directory/read', 'd://r', (uri) => ({ uri })],
  ['completion/complete', 'o://{x}', (uri) => ({ ref: { type: 'ref/resource', uri }, argument: { name: 'x', value: '' } })],
  ['subscriptions/listen', 'a:open', (uri) => ({ notifications: { resourceSubscriptions: [uri] } })],
]

describe('what access denies', () => {
  it.each(requests)('is answered by %s as what is absent', async (method, open, params) => {
    const connection = await connect(library(...RULES).shelf, { extended: true })
    const ask = async (uri: string) => {
      const before = connection.sink.messages.length
      const answer = await connection.modern(method, params(uri))
      return without(answer ?? connection.sink.messages.slice(before), uri).replaceAll(
        /subscriptionId":\d+/g,
        'subscriptionId":0',
      )
    }
    const absent = await ask('a:absent')
    for (const uri of [
      'a:secret',
      'A:secret',
      'a:%73ecret',
      's://1',
      's://{x}',
      'd://r/secret',
      'd://r/secret/x',
      'o://2',
      'x'.repeat(9000),
    ])
      expect([uri, await ask(uri)]).toEqual([uri, absent])
    expect(await ask(open)).not.toEqual(absent)
  })

  it.each(['resources/read', 'resources/subscribe', 'resources/unsubscribe'])(
    'is answered by %s as what is absent in the legacy era too',
    async (method) => {
      const connection = await connect(library(...RULES).shelf)
      await connection.initialize()
      const ask = async (uri: string) => without(await connection.legacy(method, { uri }), uri)
      const absent = await ask('a:absent')
      for (const uri of ['a:secret', 's://1', 'd://r/secret/x', 'o://2']) expect([uri, await ask(uri)]).toEqual([uri, absent])
    },
  )

  it('is what is denied of the object that a provider opened', async () => {
    const closed = await connect(library(...RULES).shelf, { extended: true })
    const absent = without(await closed.modern('dev.shelfmark/stat', { uri: 'a:absent' }), 'a:absent')
    expect(without(await closed.modern('dev.shelfmark/stat', { uri: 'd://r/link' }), 'd://r/link')).toBe(absent)
    const open = await connect(library({ allow: 'any' }).shelf, { extended: true })
    expect((await open.modern('dev.shelfmark/stat', { uri: 'd://r/link' }))?.result).toMatchObject({
      resource: { uri: 'd://r/link' },
    })
  })

  it('is in no list, and not in what a completion counts', async () => {
    const connection = await connect(library(...RULES).shelf)
    const text = JSON.stringify([
      await connection.modern('resources/list'),
      await connection.modern('resources/templates/list'),
      await connection.modern('resources/directory/read', { uri: 'd://r' }),
    ])
    expect(text).toContain('a:open')
    expect(text).toContain('o://{x}')
    expect(text).not.toMatch(/secret|s:\/\//)
    const params = { ref: { type: 'ref/resource', uri: 'o://{x}' }, argument: { name: 'x', value: '' } }
    expect((await connection.modern('completion/complete', params))?.result?.['completion']).toEqual({
      values: ['1'],
      hasMore: false,
    })
  })

  it('is told no longer once it is denied, on a stream and on a legacy connection', async () => {
    const { shelf, policy } = library({ allow: 'any' })
    const modern = await connect(shelf)
    await modern.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { _meta: envelope(), notifications: { resourceSubscriptions: ['a:open', 'a:secret'] } },
    })
    const legacy = await connect(shelf)
    await legacy.initialize()
    for (const uri of ['a:open', 'a:secret']) await legacy.legacy('resources/subscribe', { uri })
    const told = async (connection: Connection) => {
      connection.sink.messages.length = 0
      shelf.updated('a:secret')
      shelf.updated('a:open')
      clock.advance(100)
      await settle()
      return connection.sink.notifications.map(({ params }) => params?.['uri'])
    }
    for (const connection of [modern, legacy]) {
      policy.replace([{ allow: 'any' }])
      expect(await told(connection)).toEqual(['a:secret', 'a:open'])
      policy.replace(RULES)
      expect(await told(connection)).toEqual(['a:open'])
      policy.replace([])
      expect(await told(connection)).toEqual([])
    }
  })

  it('is denied by what is decided when a request that runs asks, not when it began', async () => {
    const { shelf, policy } = library({ allow: 'any' })
    const connection = await connect(shelf, { extended: true })
    const asking = connection.modern('dev.shelfmark/stat', { uri: 'd://r/link' })
    policy.replace(RULES)
    expect((await asking)?.error?.message).toBe('Resource not found')
  })
})
