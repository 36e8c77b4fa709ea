import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { Provider, Resource } from '../../src/index.ts'
import { connect, envelope } from '../spec/engine.ts'

const items: readonly Resource[] = Array.from({ length: 500 }, (_, i) => ({ uri: `p:${i}`, name: 'x'.repeat(100) }))

function provider(more: Partial<Provider>): Provider {
  return {
    name: 'p',
    prefixes: ['p:'],
    list: async () => ({ items }),
    read: async () => Promise.reject(new Error('no')),
    ...more,
  }
}

describe('Exchange.listing()', () => {
  it('Exchange.listing() asks a provider that ignores the limit no more often than is of use', async () => {
    let asked = 0
    const library = createLibrary({ name: 'acme' }).mount(
      provider({
        list: async () => {
          asked++
          return { items }
        },
      }),
    )
    const connection = await connect(library, { limits: { maxPageBytes: 1_000 } })
    const answer = await connection.modern('resources/list')
    expect(answer?.result?.['resources']).toHaveLength(500)
    expect(asked).toBe(1)
  })
})

describe('subscriptions/listen', () => {
  it('subscriptions/listen looks at no more URIs than one listener may name', async () => {
    const looked: string[] = []
    const library = createLibrary({ name: 'acme' }).mount(
      provider({
        stat: async ({ uri }) => {
          looked.push(uri)
          return { resource: { uri, name: uri } }
        },
        watch: async () => ({ add: async () => {}, remove: () => {}, [Symbol.asyncDispose]: async () => {} }),
      }),
    )
    const connection = await connect(library, { limits: { urisPerListener: 3 } })
    const params = { _meta: envelope(), notifications: { resourceSubscriptions: items.map((item) => item.uri) } }
    const [acknowledged] = await connection.send({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
    expect(acknowledged?.params?.['notifications']).toEqual({ resourceSubscriptions: ['p:0', 'p:1', 'p:2'] })
    expect(looked).toEqual(['p:0', 'p:1', 'p:2'])
  })
})

describe('messages at the edge of JSON', () => {
  it('Peer tells a retry that is nested too deeply to be compared that its params are invalid', async () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as unknown
    const connection = await connect(createLibrary({ name: 'acme' }).resource('x:1', () => ''))
    const answer = await connection.modern('resources/read', { uri: 'x:1', deep, inputResponses: {} })
    expect(answer?.error).toEqual({ code: -32602, message: 'params are nested too deeply' })
  })

  it('completion/complete takes a variable named like an inherited property for what it is', async () => {
    const library = createLibrary({ name: 'acme' }).template('t:{constructor}', () => '')
    const connection = await connect(library)
    const ref = { type: 'ref/resource', uri: 't:{constructor}' }
    const answer = await connection.modern('completion/complete', { ref, argument: { name: 'constructor', value: '' } })
    expect(answer?.result?.['completion']).toEqual({ values: [], total: 0, hasMore: false })
  })
})
