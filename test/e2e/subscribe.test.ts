import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { beside, endpoint, run } from './command-line.ts'
import type { Target } from './official-clients.ts'
import { connectV1, connectV2 } from './official-clients.ts'

const FIXTURE = beside('fixture-server.mjs')

/** A client of the legacy era, and what it was told. */
class Subscriber {
  readonly updates: string[] = []
  listChanges = 0
  readonly #client: SubscribingClient
  #heard: (() => void) | undefined

  private constructor(client: SubscribingClient) {
    this.#client = client
  }

  static async v1(target: Target): Promise<Subscriber> {
    let self: Subscriber | undefined
    const client = await connectV1(target, (fresh) => {
      fresh.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => self?.updated(params.uri))
      fresh.setNotificationHandler(ResourceListChangedNotificationSchema, () => self?.changed())
    })
    onTestFinished(() => client.close())
    self = new Subscriber(client)
    return self
  }

  static async v2(target: Target): Promise<Subscriber> {
    let self: Subscriber | undefined
    const client = await connectV2(target, 'legacy', (fresh) => {
      fresh.setNotificationHandler('notifications/resources/updated', ({ params }) => self?.updated(params.uri))
      fresh.setNotificationHandler('notifications/resources/list_changed', () => self?.changed())
    })
    onTestFinished(() => client.close())
    self = new Subscriber(client)
    return self
  }

  read(uri: string): Promise<unknown> {
    return this.#client.readResource({ uri })
  }

  subscribe(uri: string): Promise<unknown> {
    return this.#client.subscribeResource({ uri })
  }

  unsubscribe(uri: string): Promise<unknown> {
    return this.#client.unsubscribeResource({ uri })
  }

  /** Settles with the next change of the list that this client hears of. */
  nextListChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#heard = resolve
    })
  }

  updated(uri: string): void {
    this.updates.push(uri)
  }

  changed(): void {
    this.listChanges++
    this.#heard?.()
  }
}

/** What both packages' clients have. */
interface SubscribingClient {
  readResource(params: { uri: string }): Promise<unknown>
  subscribeResource(params: { uri: string }): Promise<unknown>
  unsubscribeResource(params: { uri: string }): Promise<unknown>
}

/** Waits until every client has been told all that came before: a change of the list goes to all, in order. */
async function settle(clients: readonly Subscriber[]): Promise<void> {
  const heard = clients.map((client) => client.nextListChange())
  await clients[0]?.read('do:add/1')
  await Promise.all(heard)
}

describe('resources/subscribe over HTTP', () => {
  it('tells an update once to each client that subscribed to that URI, and to no other', async () => {
    const server = run([FIXTURE, '--http'])
    const url = await endpoint(server)
    const [one, both, none, newer] = await Promise.all([
      Subscriber.v1({ url }),
      Subscriber.v1({ url }),
      Subscriber.v1({ url }),
      Subscriber.v2({ url }),
    ])
    const all = [one, both, none, newer]
    await settle(all)
    await one.subscribe('note:a')
    await one.subscribe('note:a')
    await both.subscribe('note:a')
    await both.subscribe('note:b')
    await newer.subscribe('item:7')
    await none.read('do:update/note:a')
    await settle(all)
    expect(all.map((client) => client.updates)).toEqual([['note:a'], ['note:a'], [], []])
    await none.read('do:update/note:b')
    await none.read('do:update/item:7')
    await settle(all)
    expect(all.map((client) => client.updates)).toEqual([['note:a'], ['note:a', 'note:b'], [], ['item:7']])

    await both.unsubscribe('note:a')
    await none.read('do:update/note:a')
    await settle(all)
    expect(all.map((client) => client.updates)).toEqual([['note:a', 'note:a'], ['note:a', 'note:b'], [], ['item:7']])
    expect(all.map((client) => client.listChanges)).toEqual([4, 4, 4, 4])
  })
})

describe.each([
  ['sdk 1.32.2', (target: Target) => Subscriber.v1(target)],
  ['client 2.4.0', (target: Target) => Subscriber.v2(target)],
])('resources/subscribe on stdio, %s', (_name, connect) => {
  it('tells each change once, until it is unsubscribed', async () => {
    const client = await connect({ args: [FIXTURE] })
    await client.subscribe('note:a')
    await client.read('do:update/note:a')
    await client.read('do:update/note:b')
    await client.read('do:update/note:a')
    await settle([client])
    // What happens within a tenth of a second is told once.
    expect(client.updates).toEqual(['note:a'])
    await client.read('do:update/note:a')
    await settle([client])
    expect(client.updates).toEqual(['note:a', 'note:a'])
    await client.unsubscribe('note:a')
    await client.read('do:update/note:a')
    await settle([client])
    expect(client.updates).toEqual(['note:a', 'note:a'])
  })

  it('makes one list_changed of a thousand additions in one tick', async () => {
    const client = await connect({ args: [FIXTURE] })
    const heard = client.nextListChange()
    await client.read('do:add/1000')
    await heard
    await settle([client])
    expect(client.listChanges).toBe(2)
  })

  it('answers not found for what is absent', async () => {
    const client = await connect({ args: [FIXTURE] })
    const failure: unknown = await client.subscribe('note:absent').catch((error: unknown) => error)
    // The newer client shows the code of the newer era.
    expect(failure).toMatchObject({ code: _name === 'sdk 1.32.2' ? -32002 : -32602, data: { uri: 'note:absent' } })
  })
})
