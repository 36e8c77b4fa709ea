import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createLibrary, ShelfError } from '../../src/index.ts'
import type { Provider } from '../../src/index.ts'
import { connect, envelope } from '../spec/engine.ts'
import type { Connection } from '../spec/engine.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { settle } from '../spec/recording-sink.ts'

const clock = createFakeClock()

/** Changes are told when none has come for a tenth of a second. */
async function told(): Promise<void> {
  clock.advance(100)
  await settle()
}

function watching(watch: NonNullable<Provider['watch']>): Provider {
  return {
    name: 'p',
    prefixes: ['p:'],
    list: async () => ({ items: [] }),
    read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: '' }] }),
    stat: async ({ uri }) => ({ resource: { uri, name: uri } }),
    watch,
  }
}

function listen(connection: Connection, uris: readonly string[]) {
  const params = { _meta: envelope(), notifications: { resourceSubscriptions: uris } }
  return connection.send({ jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen', params })
}

describe('Listeners', () => {
  it('Listeners fall silent for a URI whose access cannot be decided, and say why on this side', async () => {
    let failing = false
    const reported: unknown[] = []
    const library = createLibrary({ name: 'acme', clock }).resource('x:1', () => '')
    const connection = await connect(library, {
      access: () => {
        if (failing) throw new Error('directory down')
        return true
      },
      onError: (error, about) => reported.push([String(error), about]),
    })
    await listen(connection, ['x:1'])
    failing = true
    library.updated('x:1')
    await told()
    expect(reported).toEqual([['Error: directory down', { method: 'notifications/resources/updated', uri: 'x:1' }]])
    failing = false
    library.updated('x:1')
    await told()
    expect(connection.sink.notifications.map((message) => message.method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/resources/updated',
    ])
  })

  it('Listeners acknowledge a URI in two spellings when it is watched, not before', async () => {
    let armed = () => {}
    const library = createLibrary({ name: 'acme', clock }).mount(
      watching(() => new Promise((_resolve, reject) => (armed = () => reject(new Error('no watches left'))))),
    )
    const connection = await connect(library)
    const answered = listen(connection, ['p:1', 'P:1'])
    await settle()
    armed()
    await settle()
    expect(connection.sink.notifications[0]?.params).toMatchObject({ notifications: { resourceSubscriptions: [] } })
    await connection.engine.close()
    await answered
  })

  it('Listeners serve the rest when the watch of one mount fails', async () => {
    const library = createLibrary({ name: 'acme', clock })
      .resource('x:1', () => '')
      .mount(
        watching(async () => {
          throw new Error('no watches left')
        }),
      )
    const connection = await connect(library)
    const [acknowledged] = await listen(connection, ['p:1', 'x:1'])
    expect(acknowledged?.params?.['notifications']).toEqual({ resourceSubscriptions: ['x:1'] })
    expect((await connection.initialize())?.error).toBe(undefined)
    expect((await connection.legacy('resources/subscribe', { uri: 'p:1' }))?.error).toEqual({
      code: 10_503,
      message: 'Unavailable for now',
    })
    await expect(connection.engine.close()).resolves.toBe(undefined)
  })

  it('Listeners serve the rest when one resource cannot be looked at, whatever the error is', async () => {
    const failing: Provider = {
      ...watching(async () => ({ add: async () => undefined, remove() {}, async [Symbol.asyncDispose]() {} })),
      stat: async () => {
        throw new ShelfError('too-large', 'The answer has more than 10 bytes', { size: 11, limit: 10 })
      },
    }
    const library = createLibrary({ name: 'acme', clock })
      .resource('x:1', () => '')
      .mount(failing)
    const connection = await connect(library)
    const [acknowledged] = await listen(connection, ['p:1', 'x:1'])
    expect(acknowledged?.params?.['notifications']).toEqual({ resourceSubscriptions: ['x:1'] })
    await connection.engine.close()
  })

  it('Listeners serve the rest when nobody can say whether one resource is there', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const hanging: Provider = {
      ...watching(async () => ({ add: async () => undefined, remove() {}, async [Symbol.asyncDispose]() {} })),
      stat: () => new Promise(() => undefined),
    }
    const library = createLibrary({ name: 'acme', clock })
      .resource('x:1', () => '')
      .mount(hanging)
    const connection = await connect(library)
    void listen(connection, ['p:1', 'x:1'])
    await vi.advanceTimersByTimeAsync(6_000)
    const [acknowledged] = connection.sink.notifications
    expect(acknowledged?.params?.['notifications']).toEqual({ resourceSubscriptions: ['x:1'] })
    vi.useRealTimers()
    await connection.engine.close()
  })

  it('Listeners listen no more to what was unsubscribed while it was looked into', async () => {
    const library = createLibrary({ name: 'acme', clock }).resource('x:1', () => '')
    const connection = await connect(library)
    await connection.initialize()
    const { peer, sink } = connection
    peer.receive({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'x:1' } }, sink)
    peer.receive({ jsonrpc: '2.0', id: 2, method: 'resources/unsubscribe', params: { uri: 'X:1' } }, sink)
    await settle()
    library.updated('x:1')
    await told()
    expect(sink.notifications).toEqual([])
    peer.receive({ jsonrpc: '2.0', id: 3, method: 'resources/subscribe', params: { uri: 'x:1' } }, sink)
    await settle()
    library.updated('x:1')
    await told()
    expect(sink.notifications.map((message) => message.method)).toEqual(['notifications/resources/updated'])
    await connection.engine.close()
  })

  it('Listeners tell again of what lies below a place that may have changed, and of nothing beside it', async () => {
    let lose = () => {}
    const library = createLibrary({ name: 'acme', clock }).mount(
      watching(async (onChange) => {
        lose = () => onChange({ kind: 'lost', under: 'P:docs' })
        return { add: async () => {}, remove: () => {}, [Symbol.asyncDispose]: async () => {} }
      }),
    )
    const connection = await connect(library)
    await listen(connection, ['p:docs/a', 'p:docs2/a'])
    lose()
    await told()
    const updated = connection.sink.notifications.filter(({ method }) => method === 'notifications/resources/updated')
    expect(updated.map(({ params }) => params?.['uri'])).toEqual(['p:docs/a'])
    await connection.engine.close()
  })

  it('Listeners take a URI back as it was added, whoever leaves last', async () => {
    const said: string[] = []
    const library = createLibrary({ name: 'acme', clock }).mount(
      watching(async () => ({
        add: async (uri) => void said.push(`add ${uri}`),
        remove: (uri) => void said.push(`remove ${uri}`),
        [Symbol.asyncDispose]: async () => {},
      })),
    )
    const connection = await connect(library)
    const other = connection.engine.openPeer({ principal: connection.peer.principal })
    await listen(connection, ['p:%7e'])
    const params = { _meta: envelope(), notifications: { resourceSubscriptions: ['P:~'] } }
    other.receive({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }, connection.sink)
    await told()
    connection.peer.cancel('l')
    await told()
    other.close()
    await told()
    expect(said).toEqual(['add p:%7e', 'remove p:%7e'])
  })
})
