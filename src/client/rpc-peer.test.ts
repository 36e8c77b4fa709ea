import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { ShelfError } from '../errors.ts'
import { createFakeClock } from '../testing/index.ts'
import type { RpcRequest } from './rpc-peer.ts'
import { RpcPeer } from './rpc-peer.ts'
import type { ClientTransport, SendOptions } from './transport.ts'

type Sent = Record<string, unknown>

function peerOf(more: Partial<ClientTransport> = {}) {
  const sent: Sent[] = []
  const options: (SendOptions | undefined)[] = []
  let closes = 0
  const transport: ClientTransport = {
    start: async () => undefined,
    send: async (message, given) => {
      sent.push(message as Sent)
      options.push(given)
    },
    close: async () => {
      closes++
      transport.onclose?.()
    },
    ...more,
  }
  const clock = createFakeClock()
  const heard: string[] = []
  const odd: string[] = []
  const ends: string[] = []
  const peer = new RpcPeer(
    transport,
    {
      notification: (method) => heard.push(method),
      odd: (message) => odd.push(message),
      closed: ({ message }) => ends.push(message),
    },
    clock,
  )
  const ask = (given: Partial<RpcRequest> = {}) =>
    peer.request('m', { method: 'm', timeoutMs: 1_000, cancelByStream: false, ...given })
  return {
    peer,
    transport,
    clock,
    heard,
    odd,
    ends,
    sent,
    options,
    ask,
    receive: (message: unknown) => transport.onmessage?.(message),
    closes: () => closes,
  }
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'none',
    (error: unknown) => ShelfError.from(error).code,
  )
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('RpcPeer', () => {
  it('request() takes the first answer, and the second for nothing', async () => {
    const { ask, receive, odd } = peerOf()
    const asked = ask()
    receive({ jsonrpc: '2.0', id: 1, result: { first: true } })
    receive({ jsonrpc: '2.0', id: 1, result: { first: false } })
    receive({ jsonrpc: '2.0', id: 1, error: { code: -1, message: 'no' } })
    expect(await asked).toEqual({ first: true })
    expect(odd).toEqual([])
  })

  it('request() matches answers in any order, also under the text of their number', async () => {
    const { ask, receive, odd } = peerOf()
    const asked = [ask(), ask(), ask()]
    receive({ id: 3, result: { n: 3 } })
    receive({ id: '2', result: { n: 2 } })
    receive([{ id: 1, result: { n: 1 } }])
    expect(await Promise.all(asked)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(odd).toEqual([])
  })

  it.each([
    [null],
    [undefined],
    ['0x1'],
    [' 1'],
    [''],
    ['__proto__'],
    [1.5],
    [-1],
    [0],
    [2],
    [{ toString: 1, valueOf: 1 }],
    [[1]],
    ['9'.repeat(30)],
  ])('request() is not answered under the id %j', async (id) => {
    const { ask, receive, odd, clock } = peerOf()
    const asked = codeOf(ask())
    receive({ jsonrpc: '2.0', id, result: {} })
    receive({ jsonrpc: '2.0', id, error: { code: -32_700, message: 'what?' } })
    clock.advance(1_000)
    expect(await asked).toBe('timeout')
    expect(odd).toEqual(['An answer to no request', 'An answer to no request: what?'])
  })

  it.each([[undefined], [null], [7], ['text'], [[]], [[{}]]])('request() rejects for the result %j', async (result) => {
    const { ask, receive } = peerOf()
    const asked = codeOf(ask())
    receive({ id: 1, result })
    expect(await asked).toBe('invalid-answer')
  })

  it.each([[null], ['no'], [{}], [{ code: 'x', message: 7 }], [{ code: Infinity, message: 'x' }], [[]]])(
    'request() rejects for the error %j',
    async (error) => {
      const { ask, receive } = peerOf()
      const asked = codeOf(ask())
      receive({ id: 1, error })
      expect(await asked).toBe('server-error')
    },
  )

  it.each([[null], [7], ['text'], [true], [[[]]]])('finds %j odd, and goes on', async (message) => {
    const { ask, receive, odd } = peerOf()
    const asked = ask()
    receive(message)
    receive({ id: 1, result: {} })
    expect(await asked).toEqual({})
    expect(odd).toEqual(['A message that is no JSON object'])
  })

  it('request() gives up in time, tells the server, and finds the late answer nothing odd', async () => {
    const { ask, receive, sent, odd, clock } = peerOf()
    const asked = codeOf(ask())
    clock.advance(999)
    expect(sent).toHaveLength(1)
    clock.advance(1)
    expect(await asked).toBe('timeout')
    expect(sent[1]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: 'The server did not answer m within 1000 ms' },
    })
    receive({ id: 1, result: {} })
    expect([odd, clock.pending]).toEqual([[], 0])
  })

  it('request() gives up without a word where none must be said', async () => {
    const { ask, sent, clock } = peerOf()
    const asked = codeOf(ask({ unsaid: true }))
    clock.advance(1_000)
    expect([await asked, sent.length]).toEqual(['timeout', 1])
  })

  it('request() leaves neither listener nor timer, however it ends', async () => {
    const { peer, ask, receive, clock } = peerOf()
    const { signal } = new AbortController()
    const codes = [1, 2, 3].map(() => codeOf(ask({ signal })))
    receive({ id: 1, result: {} })
    receive({ id: 2, error: { code: -32_601, message: 'no' } })
    await peer.close()
    expect(await Promise.all(codes)).toEqual(['none', 'method-not-found', 'unavailable'])
    expect([getEventListeners(signal, 'abort').length, clock.pending]).toEqual([0, 0])
  })

  it('request() of a caller that gave up before is not sent', async () => {
    const { ask, sent } = peerOf()
    expect(await codeOf(ask({ signal: AbortSignal.abort() }))).toBe('cancelled')
    expect(sent).toEqual([])
  })

  it('request() outlives a transport that throws instead of rejecting', async () => {
    const { ask, clock } = peerOf({
      send: () => {
        throw new Error('not now')
      },
    })
    expect(await codeOf(ask({ timeoutMs: Infinity }))).toBe('unavailable')
    expect(clock.pending).toBe(0)
  })

  it('request() rejects with what ended its stream', async () => {
    const { ask, options } = peerOf({ hasPerRequestStream: true })
    const large = codeOf(ask())
    options[0]?.onRequestStreamEnd?.(new ShelfError('too-large', 'too much', { size: 2, limit: 1 }))
    const broken = codeOf(ask())
    options[1]?.onRequestStreamEnd?.()
    expect([await large, await broken]).toEqual(['too-large', 'unavailable'])
  })

  it('rejects everything once when the connection ends, and everything after', async () => {
    const { peer, transport, ask, ends } = peerOf()
    const asked = [codeOf(ask()), codeOf(ask())]
    transport.onclose?.()
    transport.onclose?.()
    expect(await Promise.all(asked)).toEqual(['unavailable', 'unavailable'])
    expect(await codeOf(ask())).toBe('unavailable')
    expect(await codeOf(peer.notify('n'))).toBe('unavailable')
    expect(ends).toEqual(['The connection was closed'])
  })

  it('answers ping, and refuses what else a server asks', async () => {
    const { receive, sent } = peerOf()
    receive({ jsonrpc: '2.0', id: 'a', method: 'ping' })
    receive({ jsonrpc: '2.0', id: 0, method: 'roots/list' })
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 'a', result: {} },
      { jsonrpc: '2.0', id: 0, error: { code: -32_601, message: 'This client has no roots/list' } },
    ])
  })

  it.each([
    ['null', null],
    ['an object', {}],
    ['a list', []],
    ['a boolean', true],
    ['1,001 characters', 'x'.repeat(1_001)],
  ])('does not answer a request whose id is %s', (_what, id) => {
    const { receive, sent, odd } = peerOf()
    receive({ jsonrpc: '2.0', id, method: 'ping' })
    expect(sent).toEqual([])
    expect(odd).toEqual(['A request whose id is neither a number nor a short text'])
  })

  it('keeps at most 64 answers for a server that asks and does not read', async () => {
    let sends = 0
    const { receive, transport } = peerOf({
      send: () => {
        sends++
        return new Promise(() => undefined)
      },
    })
    expect(transport.onmessage).toBeTypeOf('function')
    for (let id = 0; id < 10_000; id++) receive({ jsonrpc: '2.0', id, method: 'ping' })
    expect(sends).toBe(64)
  })

  it.each([
    ['notifications', { method: 'notifications/resources/list_changed' }],
    ['requests', { id: 1, method: 'ping' }],
    ['answers to nothing', { id: 'x', result: {} }],
    ['answers that are late', { id: 1, result: {} }],
    ['what is no message', 7],
  ])('ends a connection that is flooded with %s, and is deaf from then on', async (_what, message) => {
    const { ask, receive, ends, odd, heard, closes } = peerOf()
    const first = ask()
    receive({ id: 1, result: {} })
    await first
    const pending = codeOf(ask())
    for (let i = 0; i < 20_000; i++) receive(message)
    expect(ends).toEqual([])
    receive(message)
    receive(Array(1_000).fill(message))
    expect(ends).toEqual(['The server sent more than 20000 messages unasked in a second'])
    expect(await pending).toBe('unavailable')
    await turn()
    expect(closes()).toBe(1)
    expect(odd.length + heard.length).toBeLessThanOrEqual(20_000)
  })

  it('counts a flood by the second', () => {
    const { receive, ends, clock } = peerOf()
    for (let second = 0; second < 5; second++) {
      for (let i = 0; i < 10_000; i++) receive({ method: 'n' })
      clock.advance(1_000)
    }
    expect(ends).toEqual([])
  })

  it('tells progress to the request that it is of, and to no other', async () => {
    const { ask, receive, sent } = peerOf()
    const told: unknown[] = []
    const asked = ask({ params: { _meta: { own: 1 } }, onProgress: (...what) => told.push(what) })
    expect(sent[0]).toMatchObject({ params: { _meta: { own: 1, progressToken: 1 } } })
    const progress = (params: object) => receive({ method: 'notifications/progress', params })
    progress({ progressToken: 1, progress: 0.5, total: 2, message: 'half' })
    progress({ progressToken: 2, progress: 1 })
    progress({ progressToken: '1', progress: 1 })
    progress({ progressToken: 1, progress: 'all' })
    progress({ progressToken: 1, progress: 2, total: {}, message: 7 })
    receive({ id: 1, result: {} })
    await asked
    progress({ progressToken: 1, progress: 3 })
    expect(told).toEqual([
      [0.5, 2, 'half'],
      [2, undefined, undefined],
    ])
  })
})
