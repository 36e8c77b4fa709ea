import { settleable } from '../../src/library/index.ts'
import { describe, expect, it } from 'vitest'
import type { Watch } from '../../src/client/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import type { ListeningServer, More } from './listening-server.ts'
import { listeningServer, subscribingServer } from './listening-server.ts'
import { all, failure, opened, pass, turns } from './opened-client.ts'
import type { Answer } from './scripted-server.ts'
import { MODERN_FACTS } from './scripted-server.ts'

/** Events of a watch as short texts, as they come. */
function heard(watch: Watch): { readonly events: string[]; readonly ended: Promise<string> } {
  const events: string[] = []
  const ended = (async () => {
    for await (const event of watch) events.push('uri' in event ? `${event.kind} ${event.uri}` : event.kind)
  })().then(
    () => 'closed',
    (error: unknown) => String(error),
  )
  return { events, ended }
}

const listsOf = (uris: () => readonly string[]): More => {
  return ({ method }) => (method === 'resources/list' ? { resources: uris().map((uri) => ({ uri, name: 'n' })) } : 'default')
}

describe.each([
  ['modern', listeningServer, 'listen'],
  ['legacy', subscribingServer, 'subscribe'],
] as const)('watch() on a %s server', (era, make, by) => {
  const start = (server: ListeningServer, options: object = {}) => {
    const clock = createFakeClock()
    return { clock, ...opened(server, { clock, random: () => 0, ...options }) }
  }

  it('is ready when the server has agreed, and tells of what changes then', async () => {
    const server = make()
    const { client, clock } = start(server)
    const watch = client.watch(['x:1', 'x:2'])
    const { events } = heard(watch)
    expect(client.subscriptions()).toEqual([
      { uri: 'x:1', state: 'pending' },
      { uri: 'x:2', state: 'pending' },
    ])
    await pass(clock, 100)
    await watch.ready
    expect(client.subscriptions()).toEqual([
      { uri: 'x:1', state: 'followed', by },
      { uri: 'x:2', state: 'followed', by },
    ])
    server.update('x:2')
    server.update('x:1')
    server.update('x:2')
    await turns()
    expect(events).toEqual(['updated x:2', 'updated x:1'])
  })

  it('tells under the spelling that was asked for, of what is below under its own, and nothing else', async () => {
    const server = make()
    const { client, clock } = start(server)
    const spelled = heard(client.watch(['X:%7E']))
    const above = heard(client.watch(['x://d', 'x://e/']))
    await pass(clock, 100)
    for (const uri of [
      'x:~',
      'x://d/a/b',
      'x://e/f',
      'x://dd',
      'y:1',
      'x://d/a/b',
      '__proto__',
      '',
      '\ud800',
      '/'.repeat(10_000),
    ])
      server.notify('notifications/resources/updated', { uri })
    for (const params of [{}, { uri: 7 }, { uri: null }]) server.notify('notifications/resources/updated', params)
    await turns()
    expect([spelled.events, above.events]).toEqual([['updated X:%7E'], ['updated x://d/a/b', 'updated x://e/f']])
  })

  it('tells whoever watches above also when somebody else watches the part', async () => {
    const server = make()
    const { client, clock } = start(server)
    const above = heard(client.watch(['x://d']))
    const part = heard(client.watch(['x://d/a']))
    await pass(clock, 100)
    server.notify('notifications/resources/updated', { uri: 'x://d/a' })
    await turns()
    expect([above.events, part.events]).toEqual([['updated x://d/a'], ['updated x://d/a']])
  })

  it('tells of the set', async () => {
    const server = make()
    const { client, clock } = start(server)
    const { events } = heard(client.watch('list'))
    await pass(clock, 100)
    expect(client.subscriptions()).toEqual([{ state: 'followed', by }])
    server.changeSet()
    server.changeSet()
    await turns()
    expect(events).toEqual(['list'])
  })

  it('does not take an empty URI for the set', async () => {
    const server = make()
    const { client, clock } = start(server)
    const { events } = heard(client.watch(['']))
    await pass(clock, 100)
    server.changeSet()
    await turns()
    expect([events, client.subscriptions()]).toEqual([[], [{ uri: '', state: 'followed', by }]])
  })

  it('asks once for what several watch, and lets go when the last has gone', async () => {
    const server = make()
    const { client, clock } = start(server)
    const watches = [client.watch(['x:1']), client.watch(['X:1', 'x:1']), client.watch(['x:1', 'x:2'])]
    const told = watches.map(heard)
    await pass(clock, 100)
    expect([...server.listening].toSorted((a, b) => a.localeCompare(b))).toEqual(['x:1', 'x:2'])
    const late = client.watch(['x:1'])
    await late.ready
    server.update('x:1')
    await turns()
    expect(told.map(({ events }) => events)).toEqual([['updated x:1'], ['updated x:1'], ['updated x:1']])
    for (const watch of [...watches, late]) watch.close()
    expect(await Promise.all(told.map(({ ended }) => ended))).toEqual(Array(3).fill('closed'))
    await turns()
    expect([server.listening, client.subscriptions(), clock.pending]).toEqual([[], [], 0])
  })

  it('follows everything again after the connection was lost, and tells it once', async () => {
    const server = make(listsOf(() => ['p:1']))
    const { client, clock } = start(server)
    const uris = heard(client.watch(['x:1', 'x:2']))
    const set = heard(client.watch('list'))
    const prefix = heard(client.watch({ prefix: 'p:' }))
    await pass(clock, 15_000, 1_000)
    server.die()
    await turns()
    expect(new Set(client.subscriptions().map(({ state }) => state))).toEqual(new Set(['lost']))
    await pass(clock, 2_000)
    expect(new Set(client.subscriptions().map(({ state }) => state))).toEqual(new Set(['followed']))
    expect(uris.events).toEqual(['resync x:1', 'resync x:2'])
    expect(set.events).toEqual(['resync'])
    expect(prefix.events.toSorted((a, b) => a.localeCompare(b))).toEqual(['resync', 'resync p:1'])
    server.update('x:2')
    server.update('p:1')
    await turns()
    expect([uris.events.at(-1), prefix.events.at(-1)]).toEqual(['updated x:2', 'updated p:1'])
  })

  it('keeps looking for a server that stays away, and comes back to it', async () => {
    const server = make()
    let away = false
    const connect = () => {
      if (away) throw new Error('away')
      return server.connect()
    }
    const clock = createFakeClock()
    const { client } = opened({ connect }, { clock, random: () => 0 })
    const watch = client.watch(['x:1'])
    const { events } = heard(watch)
    await pass(clock, 15_000, 1_000)
    away = true
    server.die()
    await pass(clock, 300_000, 1_000)
    expect([client.subscriptions(), events]).toEqual([[{ uri: 'x:1', state: 'lost', by }], []])
    const joining = client.watch(['x:1'])
    const joined = heard(joining)
    away = false
    await pass(clock, 61_000, 1_000)
    await joining.ready
    expect([events, joined.events]).toEqual([['resync x:1'], []])
    server.update('x:1')
    await turns()
    expect([events, joined.events]).toEqual([['resync x:1', 'updated x:1'], ['updated x:1']])
  })

  it('leaves a server that hangs, and connects again', async () => {
    let hanging = false
    const base = make()
    let starts = 0
    const connect = () => {
      hanging = false
      starts++
      return base.connect()
    }
    const server = { connect }
    const clock = createFakeClock()
    const { client } = opened(
      {
        connect: async () => {
          const transport = await server.connect()
          const send = transport.send.bind(transport)
          return Object.assign(transport, { send: async (message: unknown) => (hanging ? undefined : send(message)) })
        },
      },
      { clock, random: () => 0, livenessMs: 5_000 },
    )
    const { events } = heard(client.watch(['x:1']))
    await pass(clock, 20_000, 500)
    hanging = true
    await pass(clock, 11_000, 500)
    expect([starts, events]).toEqual([2, ['resync x:1']])
  })

  it('looks at what the server does not tell of', async () => {
    let text = 'a'
    const more: More = ({ method }) => (method === 'resources/read' ? { contents: [{ uri: 'x:1', text }] } : 'default')
    const server = make(more, (uri) => uri !== 'x:1')
    const { client, clock } = start(server, { pollMs: 10_000 })
    const watch = client.watch(['x:1', 'x:2'])
    const { events } = heard(watch)
    await pass(clock, 100)
    expect(client.subscriptions()).toEqual([
      { uri: 'x:1', state: 'followed', by: 'poll' },
      { uri: 'x:2', state: 'followed', by },
    ])
    await pass(clock, 20_000, 1_000)
    expect(events).toEqual([])
    text = 'b'
    await pass(clock, 10_000, 1_000)
    expect(events).toEqual(['updated x:1'])
    server.die()
    await pass(clock, 60_000, 1_000)
    expect(events).toEqual(['updated x:1', 'resync x:2'])
    watch.close()
    await turns()
    expect(clock.pending).toBe(0)
  })

  it('looks at what cannot be read as at what is not there', async () => {
    let answer: Answer = { error: { code: -32_603, message: 'broken' } }
    const server = make(
      ({ method }) => (method === 'resources/read' ? answer : 'default'),
      () => false,
    )
    const { client, clock } = start(server, { pollMs: 10_000 })
    const { events } = heard(client.watch(['x:1']))
    await pass(clock, 30_000, 1_000)
    expect([client.subscriptions()[0]?.state, events]).toEqual(['followed', []])
    answer = { error: { code: -32_002, message: 'gone' } }
    await pass(clock, 10_000, 1_000)
    expect(events).toEqual(['updated x:1'])
    answer = { error: { code: 10_503, message: 'away' } }
    await pass(clock, 10_000, 1_000)
    expect(client.subscriptions()[0]?.state).toBe('lost')
    const joining = client.watch(['x:1'])
    answer = { error: { code: -32_002, message: 'gone' } }
    await pass(clock, 20_000, 1_000)
    await joining.ready
    expect(events).toEqual(['updated x:1'])
    answer = { contents: [{ uri: 'x:1', text: 'here' }] }
    await pass(clock, 10_000, 1_000)
    expect(events).toEqual(['updated x:1', 'updated x:1'])
  })

  it('is let go of by a reader who stops or fails', async () => {
    const server = make()
    const { client, clock } = start(server)
    const work = (async () => {
      for await (const { kind } of client.watch(['x:1'])) throw new Error(kind)
    })()
    const failed = failure(work)
    await pass(clock, 100)
    server.update('x:1')
    expect(await failed).toBe('Error: updated')
    await turns()
    expect([server.listening, client.subscriptions(), clock.pending]).toEqual([[], [], 0])
  })

  it('grows by nothing over many connections', async () => {
    const server = make()
    const { client, clock } = start(server)
    const { events } = heard(client.watch(['x:1', 'x:2']))
    await pass(clock, 100)
    const pending = clock.pending
    for (let i = 1; i <= 100; i++) {
      await pass(clock, 15_000, 5_000)
      server.die()
      await pass(clock, 3_000, 500)
      expect([events.length, server.connections]).toEqual([2 * i, i + 1])
    }
    expect([clock.pending, server.listening]).toEqual([pending, ['x:1', 'x:2']])
  })

  it('looks less often at what it cannot reach', async () => {
    let looks = 0
    let away = false
    const server = make(
      ({ method }) => {
        if (method !== 'resources/read') return 'default'
        looks++
        return away ? { error: { code: 10_503, message: 'away' } } : { contents: [{ uri: 'x:1', text: '' }] }
      },
      () => false,
    )
    const { client, clock } = start(server, { pollMs: 10_000, random: () => 0.5 })
    heard(client.watch(['x:1']))
    await pass(clock, 100)
    away = true
    await pass(clock, 150_500, 500)
    // At 10, 30, 70 and 150 seconds.
    expect(looks).toBe(5)
    away = false
    await pass(clock, 80_000, 500)
    looks = 0
    await pass(clock, 30_000, 500)
    expect(looks).toBe(3)
  })

  it('is not told that a set changed which is only in another order', async () => {
    let uris = ['x:1', 'x:2']
    const server = make(
      listsOf(() => uris),
      () => false,
      ...([{ capabilities: { resources: {} }, resources: {} }] as const),
    )
    const { client, clock } = start(server, { pollMs: 10_000 })
    const { events } = heard(client.watch('list'))
    await pass(clock, 1_000)
    uris = ['x:2', 'x:1']
    await pass(clock, 12_000, 1_000)
    expect([client.subscriptions(), events]).toEqual([[{ state: 'followed', by: 'poll' }], []])
    uris = ['x:2']
    await pass(clock, 12_000, 1_000)
    expect(events).toEqual(['list'])
  })

  it('looks at thousands without asking for all of them at once', async () => {
    let most = 0
    let now = 0
    const server = make(
      async ({ method, params }) => {
        if (method !== 'resources/read') return 'default'
        most = Math.max(most, ++now)
        await turns(1)
        now--
        return { contents: [{ uri: String(params['uri']), text: '' }] }
      },
      () => false,
    )
    const { client, clock } = start(server)
    const watch = client.watch(Array.from({ length: 1_000 }, (_, i) => `x:${i}`))
    const ready = watch.ready.then(() => 'ready')
    await pass(clock, 10)
    expect([await ready, most]).toEqual(['ready', 16])
    watch.close()
    await turns()
    expect(clock.pending).toBe(0)
  })

  it('follows thousands of watches, and lets go of all', async () => {
    const server = make()
    const { client, clock } = start(server)
    const watches: Watch[] = []
    for (let round = 0; round < 20; round++) {
      for (let i = 0; i < 100; i++) watches.push(client.watch([`x:${round}/${i}`]))
      await pass(clock, 10)
    }
    const ready = Promise.all(watches.map((watch) => watch.ready))
    await pass(clock, 5_000, 1_000)
    await ready
    expect(new Set(server.listening).size).toBe(2_000)
    expect(server.listening).toHaveLength(2_000)
    for (const watch of watches) watch.close()
    await turns()
    expect([server.listening, client.subscriptions(), clock.pending]).toEqual([[], [], 0])
  })

  it.each(Array.from({ length: 25 }, (_, delay) => delay))(
    'leaves nothing behind when it is closed %i microtasks after it begins to arm',
    async (delay) => {
      const server = make()
      const { client, clock } = start(server)
      await client.server()
      const watch = client.watch(['x:1'])
      const kept = client.watch(['x:2'])
      const failed = failure(watch.ready)
      clock.advance(5)
      for (let i = 0; i < delay; i++) await Promise.resolve()
      watch.close()
      await pass(clock, 100, 10)
      await kept.ready
      expect(await failed).toMatch(/^(no failure|cancelled: The watch was closed before it was ready)$/)
      expect(client.subscriptions()).toEqual([{ uri: 'x:2', state: 'followed', by }])
      kept.close()
      await turns()
      expect([server.listening, clock.pending]).toEqual([[], 0])
    },
  )

  it.each(Array.from({ length: 25 }, (_, delay) => delay))(
    'hears of what it watches anew %i microtasks after it let go',
    async (delay) => {
      const server = make()
      const { client, clock } = start(server)
      const first = client.watch(['x:1'])
      await pass(clock, 10)
      await first.ready
      first.close()
      for (let i = 0; i < delay; i++) await Promise.resolve()
      const { events } = heard(client.watch(['x:1']))
      await pass(clock, 50, 10)
      server.update('x:1')
      await turns()
      expect([events, server.listening]).toEqual([['updated x:1'], ['x:1']])
    },
  )

  it.each(Array.from({ length: 40 }, (_, delay) => delay))(
    'gets over a connection that is lost %i microtasks after it begins to arm',
    async (delay) => {
      const server = make(listsOf(() => ['p:1']))
      const { client, clock } = start(server)
      const kept = client.watch(['x:0'])
      await pass(clock, 11_000, 1_000)
      await kept.ready
      const watches = [client.watch(['x:1']), client.watch('list'), client.watch({ prefix: 'p:' })]
      const told = [kept, ...watches].map(heard)
      const ready = watches.map((watch) => failure(watch.ready))
      clock.advance(5)
      for (let i = 0; i < delay; i++) await Promise.resolve()
      server.die()
      await pass(clock, 3_000)
      const outcomes = await Promise.all(ready)
      for (const outcome of outcomes) expect(outcome).toMatch(/^(no failure|unavailable: )/)
      for (const [i, { events }] of told.entries()) {
        if (i > 0 && outcomes[i - 1] !== 'no failure') continue
        events.length = 0
      }
      for (const what of ['x:0', 'x:1', 'p:1']) server.update(what)
      server.changeSet()
      await turns()
      const wanted = ['updated x:0', 'updated x:1', 'list', 'updated p:1']
      for (const [i, { events }] of told.entries()) {
        if (i === 0 || outcomes[i - 1] === 'no failure') expect(events).toContain(wanted[i])
      }
    },
  )

  it('fails when the server cannot be reached at all, and can be tried again', async () => {
    const server = make()
    let away = true
    const connect = () => {
      if (away) throw new Error('away')
      return server.connect()
    }
    const clock = createFakeClock()
    const { client } = opened({ connect }, { clock, random: () => 0 })
    for (const target of [['x:1'], 'list', { prefix: 'x:' }] as const) {
      const watch = client.watch(target)
      const { ended } = heard(watch)
      const failed = failure(watch.ready)
      await pass(clock, 10)
      expect(await failed).toContain('away')
      expect(await ended).toContain('away')
    }
    expect(client.subscriptions()).toEqual([])
    away = false
    await pass(clock, 2_000)
    const watch = client.watch(['x:1'])
    await pass(clock, 10)
    await watch.ready
  })

  it('ends with the client, and does not begin after it', async () => {
    const server = make()
    const { client, clock } = start(server)
    const before = [client.watch(['x:1']), client.watch('list'), client.watch({ prefix: 'x:' })]
    const told = before.map(heard)
    await pass(clock, 50)
    const arming = client.watch(['x:2'])
    const failed = failure(arming.ready)
    await client.close()
    expect(await Promise.all(told.map(({ ended }) => ended))).toEqual(['closed', 'closed', 'closed'])
    expect(await failed).toBe('cancelled: The watch was closed before it was ready')
    for (const target of [['x:1'], 'list', { prefix: 'x:' }] as const) {
      expect(await failure(client.watch(target).ready)).toBe('unavailable: This client is closed')
      expect(await failure(all(client.watch(target)))).toBe('unavailable: This client is closed')
    }
    expect([client.subscriptions(), clock.pending]).toEqual([[], 0])
  })

  it('holds an event once however often it came, and at most a thousand parts of one thing', async () => {
    const server = make()
    const { client, clock } = start(server)
    const watch = client.watch(['x://d', 'x:1'])
    await pass(clock, 50)
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 5_000; i++) server.notify('notifications/resources/updated', { uri: `x://d/${i}` })
      server.update('x:1')
      clock.advance(1_000)
    }
    server.notify('notifications/resources/updated', { uri: `x://d/${'y'.repeat(100_000)}` })
    await turns()
    const { events } = heard(watch)
    await turns()
    expect([events.length, events.filter((event) => event === 'resync x://d').length]).toEqual([1_002, 1])
    expect(events.filter((event) => event.endsWith('x:1'))).toEqual(['updated x:1'])
  })

  it('watches what is below a prefix, as it comes and goes', async () => {
    let uris = ['p:1', 'q:1', 'p:2']
    const server = make(listsOf(() => uris))
    const { client, clock } = start(server)
    const watch = client.watch({ prefix: 'p:' })
    const { events } = heard(watch)
    await pass(clock, 100)
    await watch.ready
    expect(new Set(server.listening.filter((uri) => uri !== '*'))).toEqual(new Set(['p:1', 'p:2']))
    server.update('p:2')
    await turns()
    uris = ['p:2', 'p:3']
    server.changeSet()
    await pass(clock, 100)
    server.update('p:3')
    await turns()
    expect(events).toEqual(['updated p:2', 'list', 'updated p:3'])
    expect(client.subscriptions().map(({ uri }) => uri)).toEqual([undefined, 'p:2', 'p:3'])
    uris = ['p:2', 'p:3', 'q:2']
    server.changeSet()
    await pass(clock, 100)
    expect(events).toHaveLength(3)
  })

  it('sees a change that came while an older list was on its way to somebody else', async () => {
    let uris = ['p:1']
    let gate: Promise<void> | undefined
    const server = make(async ({ method }) => {
      if (method !== 'resources/list') return 'default'
      const resources = uris.map((uri) => ({ uri, name: 'n' }))
      await gate
      return { resources }
    })
    const { client, clock } = start(server)
    const watch = client.watch({ prefix: 'p:' })
    const { events } = heard(watch)
    await pass(clock, 100)
    await watch.ready
    const open = settleable<void>()
    gate = open.promise
    const other = all(client.list())
    await turns()
    uris = ['p:1', 'p:2']
    server.changeSet()
    await turns()
    open.resolve()
    await pass(clock, 100)
    expect(await other).toHaveLength(1)
    expect([events, [...server.listening].includes('p:2')]).toEqual([['list'], true])
  })

  it('looks at a list again that could not be had', async () => {
    let uris: readonly string[] | undefined = ['p:1']
    const server = make(({ method }) =>
      method !== 'resources/list'
        ? 'default'
        : uris === undefined
          ? { error: { code: -32_603, message: 'broken' } }
          : { resources: uris.map((uri) => ({ uri, name: 'n' })) },
    )
    const { client, clock } = start(server)
    const watch = client.watch({ prefix: 'p:' })
    const { events } = heard(watch)
    await pass(clock, 100)
    uris = undefined
    server.changeSet()
    await pass(clock, 3_500)
    expect(events).toEqual(['resync'])
    uris = ['p:1', 'p:2']
    await pass(clock, 5_000)
    expect(events).toEqual(['resync', 'list'])
    server.update('p:2')
    await turns()
    expect(events.at(-1)).toBe('updated p:2')
    watch.close()
    await turns()
    expect(clock.pending).toBe(0)
  })

  it('goes on with a prefix whose new resource came as the connection went', async () => {
    let uris = ['p:1']
    const server = make(listsOf(() => uris))
    const { client, clock } = start(server)
    const watch = client.watch({ prefix: 'p:' })
    const { events, ended } = heard(watch)
    await pass(clock, 15_000, 1_000)
    uris = ['p:1', 'p:2']
    server.changeSet()
    await turns()
    server.die()
    await pass(clock, 5_000, 1_000)
    server.update('p:2')
    await turns()
    expect(events).toContain('resync p:1')
    expect(events.at(-1)).toBe('updated p:2')
    watch.close()
    expect(await ended).toBe('closed')
  })
})

describe('watch() on a modern server', () => {
  const start = (server: ListeningServer, options: object = {}) => {
    const clock = createFakeClock()
    return { clock, ...opened(server, { clock, random: () => 0, ...options }) }
  }
  const acknowledge = (server: ListeningServer, id: unknown, notifications: unknown) =>
    server.notify('notifications/subscriptions/acknowledged', {
      _meta: { 'io.modelcontextprotocol/subscriptionId': id },
      notifications,
    })

  it('waits for its own acknowledgement, and gives up in time', async () => {
    const server = listeningServer(({ method, id }) => {
      if (method !== 'subscriptions/listen') return 'default'
      const wrong = [id + 1, `${id}x`, { toString: 1, valueOf: 1 }, [id], null, undefined]
      for (const one of wrong) acknowledge(server, one, { resourceSubscriptions: ['x:1'] })
      return undefined
    })
    const { client, clock, notices } = start(server)
    const watch = client.watch(['x:1'])
    const failed = failure(watch.ready)
    await pass(clock, 29_000, 1_000)
    expect(client.subscriptions()[0]?.state).toBe('pending')
    await pass(clock, 2_000, 1_000)
    expect(await failed).toBe('timeout: The server did not acknowledge the subscription')
    expect([notices, clock.pending]).toEqual([[], 0])
  })

  it.each([
    ['an error', { error: { code: -32_601, message: 'no' } }],
    ['another error', { error: { code: 10_429, message: 'too many' } }],
    ['an end at once', { resultType: 'complete' }],
    ['nothing that it agrees to', undefined],
  ])('looks where the server answers with %s', async (_what, answer) => {
    let text = 'a'
    const server = listeningServer(({ method, id }) => {
      if (method === 'resources/read') return { contents: [{ uri: 'x:1', text }] }
      if (method !== 'subscriptions/listen') return 'default'
      if (answer === undefined) acknowledge(server, id, { resourceSubscriptions: 'x:1', resourcesListChanged: 'yes' })
      return answer as Answer
    })
    const { client, clock } = start(server, { pollMs: 10_000 })
    const { events } = heard(client.watch(['x:1']))
    await pass(clock, 100)
    expect(client.subscriptions()).toEqual([{ uri: 'x:1', state: 'followed', by: 'poll' }])
    text = 'b'
    await pass(clock, 12_000, 1_000)
    expect(events).toEqual(['updated x:1'])
  })

  it('comes back to a stream that the server ends, ever less often if it ends each at once', async () => {
    let listens = 0
    const server = listeningServer(({ method, id }) => {
      if (method !== 'subscriptions/listen') return 'default'
      listens++
      acknowledge(server, id, { resourceSubscriptions: ['x:1'] })
      return { resultType: 'complete' }
    })
    const { client, clock } = start(server)
    const watch = client.watch(['x:1'])
    const { events } = heard(watch)
    await pass(clock, 60_000, 100)
    await watch.ready
    expect(listens).toBeLessThanOrEqual(8)
    expect(listens).toBeGreaterThanOrEqual(6)
    expect(new Set(events)).toEqual(new Set(['resync x:1']))
  })

  it('begins with a short delay again after a stream that lasted', async () => {
    const server = listeningServer()
    const { client, clock } = start(server)
    const { events } = heard(client.watch(['x:1']))
    for (let round = 1; round <= 5; round++) {
      await pass(clock, 11_000, 1_000)
      server.endStreams()
      await turns()
      expect(client.subscriptions()[0]?.state).toBe('lost')
      await pass(clock, 600)
      expect([client.subscriptions()[0]?.state, events.length]).toEqual(['followed', round])
    }
    expect(server.connections).toBe(1)
  })

  it('keeps few streams', async () => {
    const server = listeningServer()
    const { client, clock } = start(server)
    const watches: Watch[] = []
    for (let i = 0; i < 30; i++) {
      watches.push(client.watch([`x:${i}`]))
      await pass(clock, 10)
    }
    const open = server.asked.filter(({ method }) => method === 'subscriptions/listen').length
    const ended = server.told.filter(({ method }) => method === 'notifications/cancelled').length
    expect(open - ended).toBeLessThanOrEqual(8)
    for (let i = 0; i < 30; i++) expect([...server.listening].filter((uri) => uri === `x:${i}`)).toEqual([`x:${i}`])
  })

  it('is told by a server that has versions without reading', async () => {
    let version = '1'
    const server = listeningServer(
      ({ method }) => (method === 'dev.shelfmark/stat' ? { resource: { uri: 'x:1', name: 'n' }, version } : 'default'),
      () => false,
      {
        ...MODERN_FACTS,
        capabilities: { resources: {}, extensions: { 'dev.shelfmark/resources': { stat: true, versions: true } } },
      },
    )
    const { client, clock } = start(server, { pollMs: 1_000 })
    const { events } = heard(client.watch(['x:1']))
    await pass(clock, 5_000)
    version = '2'
    await pass(clock, 1_500)
    expect([events, server.asked.some(({ method }) => method === 'resources/read')]).toEqual([['updated x:1'], false])
  })

  it('does not wait for the one of a prefix that does not answer', async () => {
    let hanging = true
    const server = listeningServer(
      ({ method, params }) =>
        method === 'resources/list'
          ? { resources: ['p:1', 'p:2'].map((uri) => ({ uri, name: 'n' })) }
          : method === 'resources/read' && params['uri'] === 'p:2' && hanging
            ? { error: { code: 10_504, message: 'too slow' } }
            : 'default',
      (uri) => uri === '*',
    )
    const { client, clock } = start(server)
    const watch = client.watch({ prefix: 'p:' })
    const { events } = heard(watch)
    await pass(clock, 100)
    await watch.ready
    hanging = false
    await pass(clock, 10_000, 1_000)
    expect(events).toEqual(['resync p:2'])
    expect(new Set(client.subscriptions().map(({ state }) => state))).toEqual(new Set(['followed']))
  })

  it('takes time in proportion for updates of what is deep', async () => {
    const server = listeningServer()
    const { client, clock } = start(server)
    const watch = client.watch(['x://a/b'])
    await pass(clock, 50)
    await watch.ready
    const time = (uri: string): number => {
      const begun = performance.now()
      for (let i = 0; i < 10; i++) server.notify('notifications/resources/updated', { uri })
      return performance.now() - begun
    }
    time(`x:${'/'.repeat(1_000)}`)
    const [small, large] = [time(`x:${'/'.repeat(100_000)}`), time(`x:${'/'.repeat(800_000)}`)]
    expect(large / Math.max(small, 5)).toBeLessThan(40)
  })
})

describe('watch() on a legacy server', () => {
  const start = (server: ListeningServer, options: object = {}) => {
    const clock = createFakeClock()
    return { clock, ...opened(server, { clock, random: () => 0, ...options }) }
  }

  it('asks nothing that the server does not declare', async () => {
    const server = subscribingServer(undefined, undefined, { resources: {} })
    const { client, clock } = start(server)
    heard(client.watch(['x:1']))
    heard(client.watch('list'))
    await pass(clock, 100)
    expect(client.subscriptions().map(({ by }) => by)).toEqual(['poll', 'poll'])
    expect(server.asked.some(({ method }) => method === 'resources/subscribe')).toBe(false)
  })

  it('subscribes again only when the server has let go', async () => {
    const left = settleable<void>()
    const server = subscribingServer(async ({ method }) => {
      if (method === 'resources/unsubscribe') await left.promise
      return 'default' as const
    })
    const { client, clock } = start(server)
    const first = client.watch(['x:1'])
    await pass(clock, 10)
    await first.ready
    first.close()
    const { events } = heard(client.watch(['X:1']))
    await pass(clock, 100)
    expect(server.asked.filter(({ method }) => method === 'resources/subscribe')).toHaveLength(1)
    left.resolve()
    await pass(clock, 100)
    server.update('X:1')
    await turns()
    expect([server.listening, events]).toEqual([['X:1'], ['updated X:1']])
  })

  it('looks at everything where the server cannot speak unasked', async () => {
    const server = subscribingServer()
    const connect = async () => Object.assign(await server.connect(), { hears: async () => false })
    const clock = createFakeClock()
    const { client } = opened({ connect }, { clock })
    heard(client.watch(['x:1']))
    heard(client.watch('list'))
    await pass(clock, 100)
    expect(client.subscriptions().map(({ by }) => by)).toEqual(['poll', 'poll'])
  })
})
