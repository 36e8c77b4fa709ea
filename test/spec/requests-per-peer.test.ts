import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { connect, envelope } from './engine.ts'
import { settle } from './recording-sink.ts'

/** A library whose reads end when they are told to, and how many have begun. */
function gates() {
  const open: (() => void)[] = []
  const library = createLibrary({ name: 'acme' }).template(
    'slow:{n}',
    ({ n }) =>
      new Promise<string>((resolve) => {
        open.push(() => resolve(n))
      }),
  )
  return { library, open }
}

const read = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'resources/read',
  params: { uri: `slow:${id}`, _meta: envelope() },
})

describe('Peer', () => {
  it('begins 64 requests, and each other one when one of them has ended', async () => {
    const { library, open } = gates()
    const connection = await connect(library)
    for (let id = 0; id < 100; id++) connection.peer.receive(read(id), connection.sink)
    await settle()
    expect([open.length, connection.peer.waiting, connection.peer.inFlight]).toEqual([64, 36, 100])
    open[3]?.()
    await settle()
    expect([open.length, connection.peer.waiting, connection.peer.inFlight]).toEqual([65, 35, 99])
    while (connection.peer.inFlight > 0) {
      for (const end of open.splice(0)) end()
      await settle()
    }
    expect(connection.sink.responses.map(({ id }) => id).toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 100 }, (_, id) => id),
    )
  })

  it('answers what keeps the connection though nothing else can begin', async () => {
    const { library, open } = gates()
    const connection = await connect(library, { limits: { requestsPerPeer: 1 } })
    for (const id of [1, 2]) connection.peer.receive(read(id), connection.sink)
    expect((await connection.legacy('ping'))?.result).toEqual({})
    expect((await connection.modern('server/discover'))?.result).toBeDefined()
    expect(open).toHaveLength(1)
  })

  it('never begins a waiting request that was cancelled, and does not answer it', async () => {
    const { library, open } = gates()
    const connection = await connect(library, { limits: { requestsPerPeer: 1 } })
    for (const id of [1, 2, 3]) connection.peer.receive(read(id), connection.sink)
    connection.peer.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }, connection.sink)
    expect([connection.peer.waiting, connection.sink.dropped]).toEqual([1, 1])
    await settle()
    open[0]?.()
    await settle()
    open[1]?.()
    await settle()
    expect(connection.sink.responses.map(({ id }) => id)).toEqual([1, 3])
    expect(open).toHaveLength(2)
  })

  it('refuses those beyond a limit as busy, and takes more when some have been answered or cancelled', async () => {
    const { library, open } = gates()
    const connection = await connect(library, { limits: { requestsPerPeer: 1, waitingPerPeer: 2 } })
    for (const id of [1, 2, 3, 4]) connection.peer.receive(read(id), connection.sink)
    expect(connection.sink.responses.map(({ id, error }) => [id, error?.code])).toEqual([[4, 10429]])
    connection.peer.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }, connection.sink)
    connection.peer.receive(read(5), connection.sink)
    expect(connection.peer.waiting).toBe(2)
    await settle()
    open[0]?.()
    await settle()
    connection.peer.receive(read(6), connection.sink)
    expect(connection.peer.waiting).toBe(2)
    expect(connection.sink.responses.map(({ id }) => id)).toEqual([4, 1])
  })

  it('begins nothing more once it is closed', async () => {
    const { library, open } = gates()
    const connection = await connect(library, { limits: { requestsPerPeer: 1 } })
    for (const id of [1, 2]) connection.peer.receive(read(id), connection.sink)
    connection.peer.close()
    await settle()
    open[0]?.()
    await settle()
    expect([open.length, connection.peer.inFlight, connection.sink.messages.length]).toEqual([1, 0, 0])
  })
})
