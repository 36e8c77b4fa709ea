import { settleable } from '../../src/library/index.ts'
import { describe, expect, it } from 'vitest'
import type { ClientTransport } from '../../src/client/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { all, failure, opened, pass, turns } from './opened-client.ts'
import type { Answer, Asked } from './scripted-server.ts'
import { legacyServer, MODERN_FACTS, modernServer, scripted } from './scripted-server.ts'

const ONE = { contents: [{ uri: 'x:1', text: 'one' }] }
const LEGACY_FACTS = { protocolVersion: '2025-11-25', capabilities: { resources: {} }, serverInfo: { name: 'old', version: '1' } }
const methods = ({ asked }: { readonly asked: readonly Asked[] }): string[] => asked.map(({ method }) => method)

describe('openClient(), finding out the era', () => {
  it('asks a modern server once, and nothing before it is asked something', async () => {
    const server = modernServer(() => ONE)
    const { client } = opened(server)
    await turns()
    expect(server.connections).toBe(0)
    expect(await client.readText('x:1')).toBe('one')
    expect(await client.server()).toMatchObject({ era: 'modern', revision: '2026-07-28', subscribe: true })
    expect(methods(server)).toEqual(['server/discover', 'resources/read'])
    expect(server.asked[1]?.params).toEqual({
      uri: 'x:1',
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'shelfmark', version: '0.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    })
  })

  it('initializes a legacy server over the same connection', async () => {
    const server = legacyServer(() => ONE)
    const { client } = opened(server)
    expect(await client.readText('x:1')).toBe('one')
    expect([server.connections, methods(server)]).toEqual([1, ['server/discover', 'initialize', 'resources/read']])
    expect(server.told).toEqual([{ method: 'notifications/initialized', params: {} }])
    expect(server.asked[2]?.params).toEqual({ uri: 'x:1' })
  })

  it('remembers a legacy server when it connects again', async () => {
    const clock = createFakeClock()
    const server = legacyServer(() => ONE)
    const { client } = opened(server, { clock })
    await client.server()
    await pass(clock, 20_000, 5_000)
    server.die()
    await client.read('x:1')
    expect(methods(server)).toEqual(['server/discover', 'initialize', 'initialize', 'resources/read'])
  })

  it('asks a legacy server that is known only what it knows', async () => {
    const server = legacyServer(() => ONE)
    const { client } = opened(server, { era: 'legacy' })
    await client.read('x:1')
    expect(methods(server)).toEqual(['initialize', 'resources/read'])
  })

  it('asks a server that was legacy last time, and is not any more, what it is now', async () => {
    const server = scripted(({ method }) =>
      method === 'server/discover' ? MODERN_FACTS : { error: { code: -32_601, message: '' } },
    )
    const { client } = opened(server, { era: 'legacy' })
    expect((await client.server()).era).toBe('modern')
    expect([server.connections, methods(server)]).toEqual([1, ['initialize', 'server/discover']])
  })

  it('takes a server that is silent for a legacy one, over the same connection', async () => {
    const clock = createFakeClock()
    const server = scripted(({ method }) =>
      method === 'initialize' ? LEGACY_FACTS : method === 'server/discover' ? undefined : ONE,
    )
    const { client } = opened(server, { clock })
    const read = client.readText('x:1')
    await turns()
    await pass(clock, 2_900)
    expect(methods(server)).toEqual(['server/discover'])
    await pass(clock, 100)
    expect(await read).toBe('one')
    await turns()
    expect([server.connections, server.told.map(({ method }) => method)]).toEqual([1, ['notifications/initialized']])
    expect(clock.pending).toBe(0)
  })

  it('gives up on a server that never says anything when connecting has had its time', async () => {
    const clock = createFakeClock()
    const server = scripted(() => undefined)
    const { client } = opened(server, { clock, connectTimeoutMs: 10_000 })
    const asked = failure(client.server())
    await turns()
    await pass(clock, 9_900)
    expect(methods(server)).toEqual(['server/discover', 'initialize'])
    await pass(clock, 100)
    expect(await asked).toBe('timeout: The server did not answer initialize within 7000 ms')
    expect([server.connections, server.told, clock.pending]).toEqual([1, [], 0])
  })

  it('takes a slow modern server for what it is', async () => {
    const clock = createFakeClock()
    const server = scripted(({ method }) => (method === 'resources/read' ? ONE : undefined))
    const { client } = opened(server, { clock })
    const read = client.readText('x:1')
    await turns()
    await pass(clock, 5_000)
    expect(methods(server)).toEqual(['server/discover', 'initialize'])
    server.send({ jsonrpc: '2.0', id: 1, result: MODERN_FACTS })
    expect(await read).toBe('one')
    server.send({ jsonrpc: '2.0', id: 2, error: { code: -32_601, message: 'late' } })
    await turns()
    expect([(await client.server()).era, server.connections, clock.pending]).toEqual(['modern', 1, 0])
  })

  it.each([-32_601, -32_600, -32_602, -32_603, -32_700, -1, 0])(
    'takes the error %i for that of a legacy server',
    async (code) => {
      const server = scripted(({ method }) => (method === 'initialize' ? LEGACY_FACTS : { error: { code, message: 'no' } }))
      const { client } = opened(server)
      expect((await client.server()).era).toBe('legacy')
      expect(server.connections).toBe(1)
    },
  )

  it.each([
    [-32_020, {}, 'server-error'],
    [-32_021, { requiredCapabilities: { elicitation: {} } }, 'missing-capability'],
    [-32_022, { supported: ['2099-01-01'] }, 'unsupported-version'],
    [-32_022, 'nonsense', 'unsupported-version'],
    [-32_022, { supported: Array(100_000).fill('x'.repeat(20)) }, 'unsupported-version'],
  ])('does not initialize a server that answers with %i', async (code, data, wanted) => {
    const server = scripted(() => ({ error: { code, message: 'no', data } }))
    const { client } = opened(server)
    const why = await failure(client.server())
    expect([why.split(':')[0], methods(server)]).toEqual([wanted, ['server/discover']])
    expect(why.length).toBeLessThan(400)
  })

  it('initializes a server that has only older revisions to offer', async () => {
    const server = scripted(({ method }) =>
      method === 'initialize' ? LEGACY_FACTS : { error: { code: -32_022, message: '', data: { supported: ['2025-11-25'] } } },
    )
    const { client } = opened(server)
    expect((await client.server()).revision).toBe('2025-11-25')
  })

  it.each([[undefined], [7], ['2026-07-28'], ['1999-01-01'], [{}], ['x'.repeat(100_000)]])(
    'refuses a legacy server that agrees on %.20j',
    async (protocolVersion) => {
      const server = scripted(({ method }) =>
        method === 'initialize' ? { ...LEGACY_FACTS, protocolVersion } : { error: { code: -32_601, message: '' } },
      )
      const { client } = opened(server)
      const why = await failure(client.server())
      expect(why).toContain('unsupported-version: The server wants to speak revision')
      expect(why.length).toBeLessThan(200)
    },
  )

  it.each([
    [{}],
    [{ supportedVersions: 'all', capabilities: [], instructions: 7, _meta: 'x' }],
    [{ capabilities: { resources: 'yes', extensions: { 'dev.shelfmark/resources': { maxRead: -1, ranges: 'yes' } } } }],
  ])('takes a modern server that says %j of itself for one that has nothing', async (facts) => {
    const { client } = opened(modernServer(() => undefined, facts))
    expect(await client.server()).toMatchObject({ era: 'modern', resources: false, extension: { ranges: false } })
    expect([await all(client.list()), await all(client.templates())]).toEqual([[], []])
  })

  it('starts a server that ends at the first question once more, and asks what it knows from then on', async () => {
    const server = scripted(({ method }) => {
      if (method === 'server/discover') server.die()
      return method === 'initialize' ? LEGACY_FACTS : ONE
    })
    const clock = createFakeClock()
    const { client } = opened(server, { clock })
    expect(await client.readText('x:1')).toBe('one')
    expect([server.connections, methods(server)]).toEqual([2, ['server/discover', 'initialize', 'resources/read']])
    await pass(clock, 20_000, 5_000)
    server.die()
    expect(await client.readText('x:1')).toBe('one')
    expect([server.connections, methods(server).slice(3)]).toEqual([3, ['initialize', 'resources/read']])
  })

  it('does not remember an era of a server that ended for another reason', async () => {
    const clock = createFakeClock()
    let broken = true
    const server = scripted(({ method }) => {
      if (broken) server.die()
      return method === 'server/discover' ? MODERN_FACTS : method === 'initialize' ? LEGACY_FACTS : ONE
    })
    const { client } = opened(server, { clock })
    expect(await failure(client.server())).toBe('unavailable: The connection was closed')
    broken = false
    await pass(clock, 1_000)
    expect((await client.server()).era).toBe('modern')
  })

  it('starts a server that always ends five times in a minute', async () => {
    const clock = createFakeClock()
    const server = scripted(() => {
      server.die()
      return undefined
    })
    const { client } = opened(server, { clock, random: () => 1 })
    for (let second = 0; second < 59; second++) {
      await failure(client.server())
      await pass(clock, 1_000, 1_000)
    }
    expect(server.connections).toBeLessThanOrEqual(6)
    expect(await failure(client.server())).toMatch(/^unavailable: The connection was closed \(the next attempt is in \d+ s\)$/)
  })
})

/** A transport that does what it is told. */
function transport(more: Partial<ClientTransport>): ClientTransport & { closes: number } {
  const made = {
    closes: 0,
    start: async () => undefined,
    send: async () => undefined,
    close: async () => void made.closes++,
    ...more,
  }
  return made
}

describe('openClient(), while it connects', () => {
  it.each(['making', 'starting'])('gives up on a connection that takes for ever in %s', async (when) => {
    const clock = createFakeClock()
    const late = settleable<void>()
    const made = transport(when === 'starting' ? { start: () => late.promise } : {})
    const connect = async () => {
      if (when === 'making') await late.promise
      return made
    }
    const { client } = opened({ connect }, { clock, connectTimeoutMs: 5_000 })
    const asked = failure(client.read('x:1'))
    await pass(clock, 5_000)
    expect(await asked).toBe('timeout: The server could not be connected to within 5000 ms')
    late.resolve()
    await turns()
    expect([made.closes, clock.pending]).toEqual([1, 0])
  })

  it.each(['making', 'starting', 'negotiating'])('close() does not wait for what takes for ever in %s', async (when) => {
    const clock = createFakeClock()
    const late = settleable<void>()
    const made = transport(when === 'starting' ? { start: () => late.promise } : {})
    const connect = async () => {
      if (when === 'making') await late.promise
      return made
    }
    const { client } = opened({ connect }, { clock })
    const asked = failure(client.read('x:1'))
    await turns()
    await client.close()
    expect(await asked).toBe('unavailable: This client is closed')
    late.resolve()
    await turns()
    expect([made.closes, clock.pending]).toEqual([1, 0])
    expect(await failure(client.read('x:1'))).toBe('unavailable: This client is closed')
  })

  it.each(Array.from({ length: 30 }, (_, delay) => delay))(
    'close() after %i microtasks leaves no connection open',
    async (delay) => {
      let open = 0
      const server = modernServer(() => ONE)
      const connect = () => {
        const inner = server.connect() as ClientTransport
        const close = inner.close.bind(inner)
        open++
        let closed = false
        return Object.assign(inner, {
          close: async () => {
            if (!closed) open--
            closed = true
            await close()
          },
        })
      }
      const { client } = opened({ connect })
      const asked = failure(client.readText('x:1'))
      for (let i = 0; i < delay; i++) await Promise.resolve()
      await client.close()
      expect(open).toBe(0)
      expect(await asked).toMatch(/^(no failure|unavailable: )/)
    },
  )

  it('connects for nobody who has given up already', async () => {
    const server = modernServer(() => ONE)
    const failing = opened({ connect: () => Promise.reject(new Error('no')) })
    const signal = AbortSignal.abort()
    const { client } = opened(server)
    const works = [client, failing.client].flatMap((one) => [
      one.server({ signal }),
      one.read('x:1', { signal }),
      one.readOnce('x:1', { signal }),
      one.listPage({ signal }),
      one.stat('x:1', { signal }),
      one.complete('x:{v}', 'v', '', { signal }),
      all(one.list({ signal })),
      all(one.children('x:1', { signal })),
    ])
    expect(new Set(await Promise.all(works.map(failure)))).toEqual(new Set(['cancelled: Cancelled by the caller']))
    await turns()
    expect(server.connections).toBe(0)
  })

  it('lets go of a caller who gives up, and connects for the others', async () => {
    const facts = settleable<Answer>()
    const server = scripted(({ method }) => (method === 'server/discover' ? facts.promise : ONE))
    const { client } = opened(server)
    const impatient = new AbortController()
    const works = [failure(client.read('x:1', { signal: impatient.signal })), client.readText('x:1')] as const
    await turns()
    impatient.abort()
    expect(await works[0]).toBe('cancelled: Cancelled by the caller')
    facts.resolve(MODERN_FACTS)
    expect([await works[1], server.connections]).toEqual(['one', 1])
  })

  it('says what a person needs of a connection that cannot be made', async () => {
    const { client } = opened({ connect: () => Promise.reject(new TypeError('no such thing')) })
    expect(await failure(client.read('x:1'))).toBe('internal: no such thing')
    expect(await failure(client.read('x:1'))).toMatch(/^unavailable: no such thing \(the next attempt is in \d+ ms\)$/)
  })

  it.each([
    ['timeoutMs', 0],
    ['timeoutMs', Number.NaN],
    ['connectTimeoutMs', Infinity],
    ['probeMs', -1],
    ['pollMs', 2 ** 31],
    ['livenessMs', '5' as unknown as number],
  ])('refuses %s of %s', async (option, ms) => {
    const { connect } = modernServer(() => ONE)
    const made = failure(Promise.resolve().then(() => opened({ connect }, { [option]: ms })))
    expect(await made).toMatch(new RegExp(`^invalid-option: ${option} is a number of milliseconds from 1 to 2147483647, got `))
  })

  it('refuses a time of one request that is none', async () => {
    const { client } = opened(modernServer(() => ONE))
    expect(await failure(client.read('x:1', { timeoutMs: Number.NaN }))).toContain('invalid-option: timeoutMs')
  })
})

describe.each(['modern', 'legacy'] as const)('a %s server that dies', (era) => {
  const facts = era === 'modern' ? MODERN_FACTS : LEGACY_FACTS
  const discovery = era === 'modern' ? 'server/discover' : 'initialize'

  /** Dies at one message, before or after the answer to it. */
  function dying(at: number, after: boolean, rightAway: boolean) {
    let count = 0
    const server = scripted((asked) => {
      const answer: Answer =
        asked.method === discovery
          ? facts
          : asked.method === 'server/discover' || asked.method === 'initialize'
            ? { error: { code: -32_601, message: '' } }
            : ONE
      if (++count !== at) return answer
      if (after) server.send({ jsonrpc: '2.0', id: asked.id, ...('error' in answer ? answer : { result: answer }) })
      if (rightAway) server.die()
      else queueMicrotask(() => server.die())
      return undefined
    })
    return server
  }

  it.each(
    [1, 2, 3, 4].flatMap((at) =>
      [false, true].flatMap((after) => [false, true].map((rightAway) => [at, after ? 'after' : 'before', rightAway] as const)),
    ),
  )('at message %i, %s it answers (at once: %s), is used again when it is back', async (at, when, rightAway) => {
    const clock = createFakeClock()
    const server = dying(at, when === 'after', rightAway)
    const { client } = opened(server, { clock })
    const first = [failure(client.readText('x:1')), failure(client.readText('x:2'))]
    await pass(clock, 10_000, 500)
    for (const outcome of await Promise.all(first))
      expect(outcome).toMatch(/^(no failure|unavailable: The connection was closed)/)
    await failure(client.readText('x:1'))
    await pass(clock, 60_000, 5_000)
    expect(await client.readText('x:1')).toBe('one')
    expect(await client.readText('x:3')).toBe('one')
  })
})
