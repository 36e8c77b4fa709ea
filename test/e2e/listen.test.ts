import { describe, expect, it, onTestFinished } from 'vitest'
import { beside, CLI, endpoint, folderOfTest, modern, run } from './command-line.ts'
import { connectV2 } from './official-clients.ts'

const FIXTURE = beside('fixture-server.mjs')
const PIN = { pin: '2026-07-28' }
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

describe('subscriptions/listen to the official client, over HTTP', () => {
  it('honours what there is, tells it alone, and ends with its result when the server ends', async () => {
    const server = run([FIXTURE, '--http'])
    const told: unknown[] = []
    let next: (() => void) | undefined
    const client = await connectV2({ url: await endpoint(server) }, PIN, (fresh) => {
      fresh.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        told.push(params.uri)
      })
      fresh.setNotificationHandler('notifications/resources/list_changed', () => {
        told.push('list')
        next?.()
      })
    })
    onTestFinished(() => client.close())
    const listChange = (): Promise<void> =>
      new Promise((resolve) => {
        next = resolve
      })

    const subscription = await client.listen({
      resourcesListChanged: true,
      promptsListChanged: true,
      resourceSubscriptions: ['note:a', 'note:absent', 'item:7'],
    })
    expect(subscription.honoredFilter).toEqual({ resourcesListChanged: true, resourceSubscriptions: ['note:a', 'item:7'] })

    for (const uri of ['note:b', 'note:a', 'item:7']) await client.readResource({ uri: `do:update/${uri}` })
    const heard = listChange()
    await client.readResource({ uri: 'do:add/1000' })
    await heard
    expect(told).toEqual(['note:a', 'item:7', 'list'])
    const second = listChange()
    await client.readResource({ uri: 'do:add/1' })
    await second
    expect(told).toEqual(['note:a', 'item:7', 'list', 'list'])

    server.child.kill('SIGTERM')
    expect(await subscription.closed).toBe('graceful')
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
  })

  it('ends with its result when `shelfmark serve` gets SIGTERM, which exits with 0', async () => {
    const server = run([CLI, 'serve', folderOfTest(), '--http', '0'])
    const client = await connectV2({ url: await endpoint(server) }, PIN)
    onTestFinished(() => client.close())
    const subscription = await client.listen({ resourcesListChanged: true })
    server.child.kill('SIGTERM')
    expect(await subscription.closed).toBe('graceful')
    expect(await server.ended).toMatchObject({ code: 0, signal: null, stdout: '' })
  })

  it('is told nothing more once it has closed', async () => {
    const server = run([FIXTURE, '--http'])
    const told: unknown[] = []
    const client = await connectV2({ url: await endpoint(server) }, PIN, (fresh) => {
      fresh.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        told.push(params.uri)
      })
    })
    onTestFinished(() => client.close())
    const first = await client.listen({ resourceSubscriptions: ['note:a'] })
    const second = await client.listen({ resourceSubscriptions: ['note:b'] })
    await first.close()
    expect(await first.closed).toBe('local')
    await client.readResource({ uri: 'do:update/note:a' })
    await client.readResource({ uri: 'do:update/note:b' })
    await expect.poll(() => told).toEqual(['note:b'])
    await second.close()
  })
})

describe('subscriptions/listen on stdio', () => {
  it('is the first message of its stream, puts its id on every one, and answers it last, with exit code 0', async () => {
    const server = run([FIXTURE])
    const filter = { resourcesListChanged: true, resourceSubscriptions: ['note:a', 'note:absent'] }
    server.send(modern(7, 'subscriptions/listen', { notifications: filter }))
    await server.until(({ messages }) => messages[0])
    server.send(modern(8, 'resources/read', { uri: 'do:update/note:a' }))
    await server.answer(8)
    server.send(modern(9, 'resources/read', { uri: 'do:add/1000' }))
    await server.answer(9)
    await server.until(({ messages }) => messages.find(({ method }) => method === 'notifications/resources/list_changed'))
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
    expect(server.messages.filter(({ id }) => id !== 8 && id !== 9)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: {
          _meta: { [SUBSCRIPTION]: 7 },
          notifications: { resourcesListChanged: true, resourceSubscriptions: ['note:a'] },
        },
      },
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { _meta: { [SUBSCRIPTION]: 7 }, uri: 'note:a' } },
      { jsonrpc: '2.0', method: 'notifications/resources/list_changed', params: { _meta: { [SUBSCRIPTION]: 7 } } },
      {
        jsonrpc: '2.0',
        id: 7,
        result: {
          resultType: 'complete',
          _meta: {
            'io.modelcontextprotocol/serverInfo': { name: 'fixture', version: '1.0.0' },
            [SUBSCRIPTION]: 7,
          },
        },
      },
    ])
  })

  it('takes the place of resources/subscribe, which the modern era does not have', async () => {
    const server = run([FIXTURE])
    server.send(modern(1, 'resources/subscribe', { uri: 'note:a' }))
    expect((await server.answer(1)).error).toMatchObject({ code: -32601 })
  })
})
