import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ShelfError } from '../../src/errors.ts'
import type { Client } from '../../src/client/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { all, failure, opened, pass, turns } from './opened-client.ts'
import type { Answer, ScriptedServer } from './scripted-server.ts'
import { legacyServer, MODERN_FACTS, modernServer, scripted } from './scripted-server.ts'

/** Everything that can be asked; each gives something or a ShelfError. */
const ASK: readonly ((client: Client) => Promise<unknown>)[] = [
  (client) => client.server(),
  (client) => client.read('x:1'),
  (client) => client.read('x:1', { range: { offset: 1, length: 2 } }),
  (client) => client.read('x:1', { ifVersion: 'v', onInput: () => ({}) }),
  (client) => client.readOnce('x:1'),
  (client) => client.readText('x:1'),
  (client) => client.stat('x:1'),
  (client) => client.complete('x:{v}', 'v', ''),
  (client) => client.listPage({ cursor: '' }),
  (client) => all(client.list()),
  (client) => all(client.templates()),
  (client) => all(client.children('x://d')),
]

const EVERYTHING = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: {
    resources: { subscribe: true, listChanged: true },
    completions: {},
    extensions: {
      'dev.shelfmark/resources': { ranges: true, versions: true, stat: true },
      'io.modelcontextprotocol/skills': { directoryRead: true },
    },
  },
}

/** Objects with the names that mean something here, and any JSON under them. */
function answers(): fc.Arbitrary<Record<string, unknown>> {
  const json = fc.jsonValue({ maxDepth: 3 })
  const item = fc.record(
    {
      uri: fc.oneof(fc.constantFrom('x:1', 'x://d/a', '', '\ud800', '__proto__'), json),
      uriTemplate: json,
      name: json,
      text: json,
      blob: fc.oneof(fc.constantFrom('AAAA', 'A', '====', 'AB=='), json),
      mimeType: json,
      size: json,
      annotations: json,
      icons: json,
      _meta: json,
      method: json,
      params: json,
    },
    { requiredKeys: [] },
  )
  const items = fc.oneof(fc.array(fc.oneof(item, json), { maxLength: 4 }), json)
  const meta = fc.record(
    {
      'dev.shelfmark/range': fc.oneof(fc.record({ offset: json, length: json, total: json }), json),
      'dev.shelfmark/version': json,
      'dev.shelfmark/unchanged': fc.oneof(fc.constant(true), json),
      'dev.shelfmark/notices': fc.oneof(fc.array(fc.record({ level: json, message: json, provider: json })), json),
    },
    { requiredKeys: [] },
  )
  return fc.record(
    {
      resources: items,
      resourceTemplates: items,
      contents: items,
      resource: fc.oneof(item, json),
      completion: fc.oneof(fc.record({ values: json, total: json, hasMore: json }), json),
      nextCursor: fc.oneof(fc.constantFrom('', 'a', 'b'), json),
      resultType: fc.oneof(
        { weight: 4, arbitrary: fc.constant('complete') },
        { weight: 1, arbitrary: fc.constant('input_required') },
        { weight: 1, arbitrary: json },
      ),
      inputRequests: fc.oneof(fc.dictionary(fc.string(), fc.oneof(item, json)), json),
      requestState: json,
      ttlMs: json,
      cacheScope: json,
      version: json,
      _meta: fc.oneof(meta, json),
      error: json,
    },
    { requiredKeys: ['resources', 'contents'] },
  )
}

async function onlyShelfErrors(client: Client): Promise<void> {
  for (const ask of ASK) {
    const outcome = await ask(client).then(
      () => 'fine',
      (error: unknown) => (error instanceof ShelfError ? error.code : error),
    )
    expect(outcome).toBeTypeOf('string')
    expect(outcome).not.toBe('internal')
  }
}

describe('a server that answers anything', () => {
  it.each([
    ['modern', (answer: () => Answer) => modernServer(answer, EVERYTHING)],
    ['legacy', (answer: () => Answer) => legacyServer(answer, EVERYTHING.capabilities)],
  ] as const)('gets no more out of a client than errors that say so (%s)', async (_era, make) => {
    await fc.assert(
      fc.asyncProperty(fc.array(answers(), { minLength: 1, maxLength: 4 }), async (said) => {
        let count = 0
        const server: ScriptedServer = make(() => {
          const { error, ...rest } = said[count++ % said.length]!
          return error === undefined || error === null ? rest : { error }
        })
        const { client } = opened(server)
        await onlyShelfErrors(client)
        await client.close()
      }),
      { numRuns: 150 },
    )
  })

  it('is negotiated with or refused, whatever it says of itself', async () => {
    const json = fc.jsonValue({ maxDepth: 3 })
    const facts = fc.record(
      {
        supportedVersions: fc.oneof(fc.array(fc.oneof(fc.constantFrom('2026-07-28', '2025-11-25'), json)), json),
        protocolVersion: fc.oneof(fc.constantFrom('2025-11-25', '2026-07-28', '1'), json),
        capabilities: fc.oneof(fc.record({ resources: json, completions: json, extensions: json }), json),
        serverInfo: fc.oneof(fc.record({ name: json, version: json, title: json }), json),
        instructions: json,
        _meta: json,
      },
      { requiredKeys: [] },
    )
    const error = fc.record({
      code: fc.oneof(fc.constantFrom(-32_601, -32_022, -32_020, -32_021), json),
      message: json,
      data: json,
    })
    const answer = fc.oneof(
      facts,
      error.map((one) => ({ error: one })),
    )
    await fc.assert(
      fc.asyncProperty(answer, answer, async (first, second) => {
        const server = scripted(
          ({ method }) => (method === 'server/discover' ? first : method === 'initialize' ? second : {}) as Answer,
        )
        const { client } = opened(server)
        await onlyShelfErrors(client)
        await client.close()
      }),
      { numRuns: 300 },
    )
  })

  it('hears nothing odd of what it tells unasked', async () => {
    const json = fc.jsonValue({ maxDepth: 3 })
    const message = fc.record(
      {
        jsonrpc: json,
        id: fc.oneof(fc.nat(6), json),
        method: fc.oneof(
          fc.constantFrom(
            'notifications/resources/updated',
            'notifications/resources/list_changed',
            'notifications/subscriptions/acknowledged',
            'notifications/progress',
            'notifications/cancelled',
            'ping',
          ),
          json,
        ),
        params: fc.oneof(
          fc.record({
            uri: fc.oneof(fc.constantFrom('x:1', 'x:1/2', ''), json),
            progressToken: json,
            progress: json,
            notifications: fc.oneof(fc.record({ resourceSubscriptions: json, resourcesListChanged: json }), json),
            _meta: fc.oneof(
              fc.record({
                'io.modelcontextprotocol/subscriptionId': fc.oneof(fc.nat(6), fc.constant({ toString: 1, valueOf: 1 }), json),
              }),
              json,
            ),
          }),
          json,
        ),
        result: json,
        error: json,
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(message, json), { maxLength: 30 }), async (messages) => {
        const clock = createFakeClock()
        const server = modernServer(({ method }) =>
          method === 'subscriptions/listen' ? undefined : { resources: [], contents: [] },
        )
        const { client } = opened(server, { clock })
        const watches = [client.watch(['x:1']), client.watch('list'), client.watch({ prefix: 'x:' })]
        const works = watches.map((watch) => failure(watch.ready))
        clock.advance(5)
        await turns(2)
        for (const one of messages) server.send(one)
        await turns(2)
        for (const watch of watches) watch.close()
        await client.close()
        for (const outcome of await Promise.all(works)) expect(outcome).toMatch(/^(no failure|[a-z-]+: )/)
        expect([client.subscriptions(), clock.pending]).toEqual([[], 0])
      }),
      { numRuns: 150 },
    )
  })
})

describe('a server that is slow on purpose', () => {
  it('leaves no listener on a signal that outlives many requests', async () => {
    const { client } = opened(modernServer(() => ({ resources: [], contents: [{ uri: 'x:1', text: '' }] })))
    const { signal } = new AbortController()
    for (let i = 0; i < 100; i++) {
      await client.read('x:1', { signal })
      await client.read('x:1', { signal, fresh: true })
      await client.listPage({ signal })
    }
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('leaves nothing behind of thousands of requests that are given up at every point', async () => {
    const clock = createFakeClock()
    const server = modernServer(() => undefined)
    const { client } = opened(server, { clock })
    await client.server()
    const works: Promise<string>[] = []
    for (let i = 0; i < 2_000; i++) {
      const giving = new AbortController()
      const { signal } = giving
      works.push(failure(ASK_WITH[i % ASK_WITH.length]!(client, signal)))
      for (let k = 0; k < i % 40; k++) await Promise.resolve()
      giving.abort()
    }
    expect(new Set(await Promise.all(works))).toEqual(new Set(['cancelled: Cancelled by the caller']))
    await turns()
    expect(clock.pending).toBe(0)
  })

  it('is told that it is too late, once, and says what it has to nobody', async () => {
    const clock = createFakeClock()
    const server = modernServer(() => undefined)
    const { client, notices } = opened(server, { clock })
    const asked = failure(client.read('x:1'))
    await turns()
    await pass(clock, 30_000, 5_000)
    expect(await asked).toBe('timeout: The server did not answer resources/read within 30000 ms')
    for (let i = 0; i < 5; i++) server.send({ jsonrpc: '2.0', id: 2, result: { contents: [] } })
    await turns()
    expect([notices, server.told.length, clock.pending]).toEqual([[], 1, 0])
  })
})

const ASK_WITH: readonly ((client: Client, signal: AbortSignal) => Promise<unknown>)[] = [
  (client, signal) => client.read('x:1', { signal }),
  (client, signal) => client.readOnce('x:1', { signal }),
  (client, signal) => client.read('x:1', { signal, fresh: true }),
  (client, signal) => client.stat('x:1', { signal }),
  (client, signal) => client.listPage({ signal }),
  (client, signal) => all(client.list({ signal })),
  (client, signal) => all(client.children('x://d', { signal })),
  (client, signal) => client.complete('x:{v}', 'v', '', { signal }),
]

describe('what a server nests and repeats', () => {
  it('is read in time that grows with its size', async () => {
    const time = async (count: number): Promise<number> => {
      const resources = Array.from({ length: count }, (_, i) => ({
        uri: `x:${i}`,
        name: 7,
        annotations: { priority: 'x' },
        _meta: { a: [{}] },
      }))
      const contents = Array.from({ length: count }, () => ({ uri: 'y:1', text: 'x' }))
      const server = modernServer(() => ({ resources, contents, ttlMs: 1_000 }), MODERN_FACTS)
      const { client } = opened(server)
      await client.server()
      const begun = performance.now()
      await client.listPage()
      await client.read('x:1')
      return performance.now() - begun
    }
    await time(10_000)
    const [small, large] = [await time(10_000), await time(80_000)]
    expect(large / Math.max(small, 5)).toBeLessThan(40)
  })
})
