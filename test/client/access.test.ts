import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/client/index.ts'
import { openClient, openHub } from '../../src/client/index.ts'
import { access, createLibrary, localCall, ShelfError } from '../../src/index.ts'
import type { Principal } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { connectMemory } from '../../src/transports/memory/index.ts'
import type { Message } from '../talk.ts'
import { MODERN_META } from '../talk.ts'
import type { Drawn, World } from './access-world.ts'
import { childrenOf, libraryOf, LINKS, means, principals, ruleLists, TEMPLATE, worlds } from './access-world.ts'
import { all, turns } from './opened-client.ts'

/** What is absent or denied is `undefined`; any other failure fails the test. */
async function orAbsent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (ShelfError.is(error, 'not-found')) return undefined
    throw error
  }
}

async function check(client: Client, world: World, rules: readonly Drawn[], principal: Principal): Promise<void> {
  const may = (operation: Parameters<typeof means>[2]) => (uri: string) => means(rules, principal, operation, uri)
  const listed = (await all(client.list())).map(({ uri }) => uri)
  expect(listed.toSorted()).toEqual(world.held.filter(may('list')).toSorted())

  const readable = world.held.filter(may('read'))
  for (const uri of world.asked) {
    const reading = await orAbsent(client.read(uri))
    expect([uri, reading !== undefined]).toEqual([uri, readable.includes(uri)])
    for (const { uri: given } of reading?.contents ?? []) expect([given, may('read')(given)]).toEqual([given, true])
    const stat = await orAbsent(client.stat(uri))
    if (stat !== undefined) expect([uri, may('read')(uri)]).toEqual([uri, true])
    if (readable.includes(uri)) expect(stat?.resource.uri).toBe(uri)
  }
  expect(listed.filter((uri) => !readable.includes(uri))).toEqual([])

  for (const directory of ['d://r', 'd://r/b']) {
    const children = await orAbsent(all(client.children(directory)))
    const there = childrenOf(world, directory)
    const wanted = there.length > 0 && may('children')(directory) ? there.filter(may('children')) : undefined
    expect(children?.map(({ uri }) => uri)).toEqual(wanted)
  }

  const templates = (await all(client.templates())).map(({ uriTemplate }) => uriTemplate)
  if (['t://p/1', 't://q/9'].some(may('templates'))) expect(templates).toEqual([TEMPLATE])
  if (!rules.some((rule) => rule.allows && rule.is(principal))) expect(templates).toEqual([])

  for (const k of ['p', 'q']) {
    const completion = await orAbsent(client.complete(TEMPLATE, 'n', '', { arguments: { k } }))
    const wanted = world.held.filter((uri) => uri.startsWith(`t://${k}/`) && may('complete')(uri))
    expect([...(completion?.values ?? [])].toSorted()).toEqual(wanted.map((uri) => uri.slice('t://q/'.length)).toSorted())
    const keys = (await orAbsent(client.complete(TEMPLATE, 'k', '')))?.values ?? []
    if (wanted.length > 0) expect(keys).toContain(k)
    if (!world.held.some((uri) => uri.startsWith(`t://${k}/`))) expect(keys).not.toContain(k)
  }
}

/** A stream of `subscriptions/listen` on everything, and what it tells. */
async function listenTo(transport: ReturnType<typeof connectMemory>, uris: readonly string[]) {
  const messages: Message[] = []
  Object.assign(transport, { onmessage: (message: Message) => void messages.push(message) })
  await transport.start()
  const params = { _meta: MODERN_META, notifications: { resourceSubscriptions: uris } }
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
  const honoured = () => messages.find(({ method }) => method === 'notifications/subscriptions/acknowledged')
  while (honoured() === undefined) await turns(1)
  const { resourceSubscriptions = [] } = honoured()!.params!['notifications'] as { resourceSubscriptions?: string[] }
  return {
    honoured: resourceSubscriptions,
    /** What was told since this was last asked. */
    told: () =>
      messages
        .splice(0)
        .filter(({ method }) => method === 'notifications/resources/updated')
        .map(({ params: told }) => String(told?.['uri'])),
  }
}

const drawn = fc.record({ world: worlds, rules: ruleLists, later: ruleLists, people: fc.tuple(principals, principals) })

describe('access()', () => {
  it('shows by lists, reads, links and completion what its principal may read, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ world, rules, later, people }) => {
        const policy = access({ rules: rules.map(({ rule }) => rule) })
        const library = libraryOf(world, createFakeClock(), policy)
        const clients = people.map((principal) => openClient(() => connectMemory(library, { principal, extended: true })))
        try {
          await Promise.all(clients.map((client, i) => check(client, world, rules, people[i]!)))
          policy.replace(later.map(({ rule }) => rule))
          await Promise.all(clients.map((client, i) => check(client, world, later, people[i]!)))
        } finally {
          await Promise.all(clients.map((client) => client.close()))
        }
      }),
      { numRuns: 40 },
    )
  })

  it('notifies of what its principal may read and subscribe to, until the rules are others', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ world, rules, later, people }) => {
        const clock = createFakeClock()
        const policy = access({ rules: rules.map(({ rule }) => rule) })
        const library = libraryOf(world, clock, policy)
        const transports = people.map((principal) => connectMemory(library, { principal }))
        const change = async (uris: readonly string[]): Promise<void> => {
          for (const uri of uris) library.updated(uri)
          clock.advance(1_000)
          await turns(2)
        }
        try {
          const streams = await Promise.all(transports.map((transport) => listenTo(transport, world.asked)))
          for (const [i, { honoured }] of streams.entries()) {
            const wanted = world.held.filter((uri) => !uri.startsWith('d:') && means(rules, people[i]!, 'subscribe', uri))
            expect(honoured.toSorted()).toEqual(wanted.toSorted())
          }
          for (const [changed, affected] of [
            [world.asked, world.asked],
            [['m://x/1'], ['m://x/1', 'a://sum']],
          ] as const) {
            for (const now of [rules, later, rules]) {
              policy.replace(now.map(({ rule }) => rule))
              await change(changed)
              for (const [i, { honoured, told }] of streams.entries()) {
                const wanted = honoured.filter(
                  (uri) => affected.some((one) => one === uri) && means(now, people[i]!, 'subscribe', uri),
                )
                expect(told().toSorted()).toEqual(wanted.toSorted())
              }
            }
          }
        } finally {
          await Promise.all(transports.map((transport) => transport.close()))
        }
      }),
      { numRuns: 60 },
    )
  })

  it('gives only those of several contents that its principal may read', async () => {
    const world: World = { held: ['a://x', LINKS], asked: [] }
    const library = libraryOf(world, createFakeClock(), access({ rules: [{ deny: 'a://x' }, { allow: ['a:', 'm://y'] }] }))
    await using client = openClient(() => connectMemory(library))
    const { contents } = await client.read(LINKS)
    expect(contents.map(({ uri }) => uri)).toEqual([LINKS, 'a://y/1', 'a://y/2', 'm://y'])
  })
})

describe('access() to a Hub', () => {
  it('does not show by its failing that there is a server of which a caller may see nothing', async () => {
    const broken = (): never => {
      throw new ShelfError('unavailable', 'hidden+ is away', { provider: 'hidden' })
    }
    const open = createLibrary({ name: 'open' }).resource('a:1', () => '')
    const hub = openHub({ servers: { hidden: broken, open: () => connectMemory(open) } })
    const policy = access({ rules: [{ allow: 'open+' }] })
    await using library = createLibrary({ name: 'front' }).mount(hub).use(policy)
    const { items, notices } = await library.list({ limit: 10 }, localCall())
    expect([items.map(({ uri }) => uri), notices]).toEqual([['open+a:1'], undefined])
    policy.replace([{ allow: ['open+', 'hidden+a:'] }])
    const partly = await library.list({ limit: 10 }, localCall())
    expect(partly.notices).toMatchObject([{ provider: 'hidden', message: 'Left out: part of this list cannot be given' }])
  })

  it('looks for a URI that does not say whose it is only where the caller may have it', async () => {
    const server = (name: string, uris: readonly string[]) => {
      const made = createLibrary({ name })
      for (const uri of uris) made.resource(uri, () => name)
      return () => connectMemory(made, { extended: true })
    }
    const hub = openHub({
      servers: { hidden: server('hidden', ['a:1', 'a:2']), open: server('open', ['a:1']), also: server('also', ['a:2']) },
    })
    await using library = createLibrary({ name: 'front' })
      .mount(hub)
      .use(access({ rules: [{ deny: ['hidden+', 'also+'] }, { allow: 'any' }] }))
    const read = async (uri: string) => {
      const result = await orAbsent(library.read({ uri, maxBytes: 10 }, localCall()))
      return result?.kind === 'contents' && result.contents.map((one) => ('text' in one ? one.text : ''))
    }
    expect(await read('a:1')).toEqual(['open'])
    for (const uri of ['a:2', 'a:3', 'hidden+a:1', 'HIDDEN+a:1']) expect([uri, await read(uri)]).toEqual([uri, false])
    for (const uri of ['a:2', 'hidden+a:1']) expect(await orAbsent(library.stat({ uri }, localCall()))).toBeUndefined()
  })
})
