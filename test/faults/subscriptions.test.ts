import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { Provider } from '../../src/index.ts'
import { connect, envelope } from '../spec/engine.ts'
import type { Connection } from '../spec/engine.ts'
import { settle } from '../spec/recording-sink.ts'

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
    const library = createLibrary({ name: 'acme' }).resource('x:1', () => '')
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
    await settle()
    expect(reported).toEqual([['Error: directory down', { method: 'notifications/resources/updated', uri: 'x:1' }]])
    failing = false
    library.updated('x:1')
    await settle()
    expect(connection.sink.notifications.map((message) => message.method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/resources/updated',
    ])
  })

  it('Listeners serve the rest when the watch of one mount fails', async () => {
    const library = createLibrary({ name: 'acme' })
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

  it('Listeners take a URI back as it was added, whoever leaves last', async () => {
    const said: string[] = []
    const library = createLibrary({ name: 'acme' }).mount(
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
    await settle()
    connection.peer.cancel('l')
    await settle()
    other.close()
    await settle()
    expect(said).toEqual(['add p:%7e', 'remove p:%7e'])
  })
})
