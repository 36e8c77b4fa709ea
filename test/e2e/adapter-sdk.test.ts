import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, InMemoryTransport as MemoryV2, McpServer as McpServerV2 } from '@modelcontextprotocol/server'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport as MemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js'
import { completable } from '@modelcontextprotocol/sdk/server/completable.js'
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { createLibrary } from 'shelfmark'
import type { Library, Provider } from 'shelfmark'
import { exceptReads, openSdkLibrary } from 'shelfmark/adapters/sdk'
import { openClient } from 'shelfmark/client'
import { connectHttp } from 'shelfmark/transports/http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { deskServer } from '../../examples/adapters/sdk.ts'
import { envelope } from '../spec/engine.ts'
import { connectV2 } from './official-clients.ts'

const KEY = { type: 'object', properties: { key: { type: 'string' } } }
const WHO = { name: 'interop', version: '1.0.0' }

const desk = (): Library =>
  createLibrary({ name: 'desk' })
    .resource('desk://hours', { mimeType: 'text/plain' }, () => 'Monday to Friday, 9 to 18')
    .resource('desk://logo', { mimeType: 'image/png' }, () => Uint8Array.of(1, 2, 3))
    .template('ticket://{id}', { title: 'Ticket', complete: { id: ['7', '8'] } }, ({ id }) => `The lamp of ${id} is out`)

/** What both lines of clients can do, called in the same words. */
interface AnyClient {
  listTools(): Promise<{ tools: readonly { name: string }[] }>
  listResources(): Promise<{ resources: readonly { uri: string }[] }>
  listResourceTemplates(): Promise<{ resourceTemplates: readonly { uriTemplate: string }[] }>
  readResource(params: { uri: string }): Promise<{ contents: readonly object[] }>
  complete(params: {
    ref: { type: 'ref/resource'; uri: string } | { type: 'ref/prompt'; name: string }
    argument: { name: string; value: string }
  }): Promise<{ completion: { values: readonly string[] } }>
}

async function expectAll(client: AnyClient): Promise<void> {
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['close_ticket'])
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain('desk://hours')
  expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'ticket://{id}',
  ])
  expect((await client.readResource({ uri: 'desk://hours' })).contents).toEqual([
    { uri: 'desk://hours', mimeType: 'text/plain', text: 'Monday to Friday, 9 to 18' },
  ])
  expect((await client.readResource({ uri: 'ticket://A%2F1%20b' })).contents).toMatchObject([
    { text: 'The lamp of A/1 b is out' },
  ])
  const completed = async (ref: Parameters<AnyClient['complete']>[0]['ref'], name: string) =>
    (await client.complete({ ref, argument: { name, value: '' } })).completion.values
  expect(await completed({ type: 'ref/resource', uri: 'ticket://{id}' }, 'id')).toEqual(['7', '8'])
  expect(await completed({ type: 'ref/prompt', name: 'answer' }, 'tone')).toEqual(['kind', 'brief'])
}

function library(): Library {
  const made = desk()
  onTestFinished(() => made[Symbol.asyncDispose]())
  return made
}

async function openV1(made: Library) {
  const server = new McpServerV1(WHO)
  openSdkLibrary(made).addTo(server)
  server.registerTool('close_ticket', {}, () => ({ content: [] }))
  server.registerPrompt('answer', { argsSchema: { tone: completable(z.string(), () => ['kind', 'brief']) } }, () => ({
    messages: [],
  }))
  const client = new ClientV1(WHO)
  const [here, there] = MemoryV1.createLinkedPair()
  await Promise.all([server.connect(there), client.connect(here)])
  onTestFinished(() => client.close())
  return { client, server }
}

/** A server of the newer line with the Library in it, a client of the legacy era, and what that is told. */
async function openLegacyV2(made: Library) {
  const shelf = openSdkLibrary(made)
  const server = new McpServerV2(WHO)
  shelf.addTo(server)
  const client = new ClientV2(WHO, { versionNegotiation: { mode: 'legacy' } })
  const told: unknown[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
  client.setNotificationHandler('notifications/resources/list_changed', () => void told.push('list'))
  const [here, there] = MemoryV2.createLinkedPair()
  await Promise.all([server.connect(there), client.connect(here)])
  onTestFinished(() => client.close())
  return { shelf, server, client, told }
}

describe('openSdkLibrary()', () => {
  it('gives a server of sdk 1.32.2 its resources, beside its tools and prompts', async () => {
    const { client } = await openV1(library())
    await expectAll(client)
    expect((await client.readResource({ uri: 'desk://logo' })).contents).toEqual([
      { uri: 'desk://logo', mimeType: 'image/png', blob: 'AQID' },
    ])
    await expect(client.readResource({ uri: 'desk://none' })).rejects.toMatchObject({ code: -32_002 })
  })

  it('tells clients of sdk 1.32.2 of changes', async () => {
    const made = library()
    const { client } = await openV1(made)
    const told: unknown[] = []
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri))
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => void told.push('list'))
    await client.subscribeResource({ uri: 'desk://hours' })
    made.updated('desk://hours')
    await expect.poll(() => told).toEqual(['desk://hours'])
    made.resource('desk://new', () => '')
    await expect.poll(() => told).toEqual(['desk://hours', 'list'])
    await client.unsubscribeResource({ uri: 'desk://hours' })
    made.updated('desk://hours')
    made.resource('desk://newer', () => '')
    await expect.poll(() => told).toEqual(['desk://hours', 'list', 'list'])
  })

  it('walks all pages by its own cursors', async () => {
    const made = library()
    for (let i = 0; i < 250; i++) made.resource(`page:${i}`, () => '')
    const { client } = await openV1(made)
    const { resources, nextCursor } = await client.listResources()
    const rest = await client.listResources({ cursor: nextCursor })
    expect([resources.length, rest.resources.length, rest.nextCursor]).toEqual([200, 52, undefined])
  })

  it.each(['legacy', 'modern'] as const)('gives a server of server 2.4.0 its resources, in the %s era', async (era) => {
    const { library: made, shelf, handler, announced } = deskServer()
    onTestFinished(async () => {
      await (await announced)[Symbol.asyncDispose]()
      await shelf[Symbol.asyncDispose]()
      await made[Symbol.asyncDispose]()
    })
    const client = await connectV2(
      { url: 'http://localhost/mcp', fetch: (url, init) => handler.fetch(new Request(url, init)) },
      era === 'modern' ? { pin: '2026-07-28' } : 'legacy',
    )
    onTestFinished(() => client.close())
    await expectAll(client)
    // This client says so of a legacy -32002, too.
    await expect(client.readResource({ uri: 'desk://none' })).rejects.toMatchObject({ code: -32_602 })
  })

  it('tells clients of server 2.4.0 of changes: legacy sessions, and listen streams', async () => {
    const made = library()
    const { shelf, client, told } = await openLegacyV2(made)
    await client.subscribeResource({ uri: 'desk://hours' })
    made.updated('desk://hours')
    await expect.poll(() => told).toEqual(['desk://hours'])

    const announced: string[] = []
    const watch = await shelf.announce({
      resourcesChanged: () => announced.push('list'),
      resourceUpdated: (uri) => announced.push(uri),
    })
    onTestFinished(() => watch[Symbol.asyncDispose]())
    made.updated('desk://logo')
    await expect.poll(() => announced).toEqual(['desk://logo'])
  })

  it('tells listen streams of a server of server 2.4.0 of changes', async () => {
    const { library: made, shelf, handler, announced } = deskServer()
    const answer = toNodeHandler(handler)
    const http = createServer((request, response) => void answer(request as Parameters<typeof answer>[0], response))
    await new Promise<void>((resolve) => {
      http.listen(0, '127.0.0.1', resolve)
    })
    const client = openClient(() => connectHttp(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`))
    onTestFinished(async () => {
      await client.close()
      http.closeAllConnections()
      http.close()
      await (await announced)[Symbol.asyncDispose]()
      await shelf[Symbol.asyncDispose]()
      await made[Symbol.asyncDispose]()
    })
    const watch = client.watch(['desk://hours'])
    await Promise.all([announced, watch.ready])
    made.updated('desk://hours')
    for await (const change of watch) {
      expect(change).toEqual({ kind: 'updated', uri: 'desk://hours' })
      break
    }
  })

  it('leaves what nobody answers to a server of server 2.4.0, which says so in HTTP, too', async () => {
    const { library: made, shelf, handler } = deskServer()
    onTestFinished(async () => {
      await shelf[Symbol.asyncDispose]()
      await made[Symbol.asyncDispose]()
    })
    const response = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'desk/dust',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'desk/dust', params: { _meta: envelope() } }),
      }),
    )
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32_601 } })
  })

  it('asks for more before it answers, beside states that a server of server 2.4.0 verifies itself', async () => {
    const made = library().resource('desk://drawer', ({ answers }) =>
      answers === undefined
        ? {
            kind: 'input-required',
            requests: { key: { method: 'elicitation/create', params: { message: 'Which key?', requestedSchema: KEY } } },
            state: 'asked',
          }
        : JSON.stringify(answers),
    )
    const shelf = openSdkLibrary(made)
    const verify = exceptReads(() => {
      throw new Error('a state of somebody else')
    })
    const handler = createMcpHandler(() => {
      const server = new McpServerV2(WHO, { requestState: { verify } })
      shelf.addTo(server)
      return server
    })
    const client = new ClientV2(WHO, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    })
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { key: 'brass' } }))
    const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init))
    await client.connect(new HttpV2(new URL('http://localhost/mcp'), { fetch }))
    onTestFinished(async () => {
      await client.close()
      await shelf[Symbol.asyncDispose]()
    })
    expect((await client.readResource({ uri: 'desk://drawer' })).contents).toMatchObject([
      { text: '{"responses":{"key":{"action":"accept","content":{"key":"brass"}}},"state":"asked"}' },
    ])
  })

  it('refuses a server that has resources of its own, before and after', () => {
    const shelf = openSdkLibrary(library())
    const read = () => ({ contents: [] })
    const before = new McpServerV1(WHO)
    before.registerResource('a', 'note:a', {}, read)
    expect(() => shelf.addTo(before)).toThrow('This server answers resources/list itself')
    const after = new McpServerV2(WHO)
    shelf.addTo(after)
    expect(() => after.registerResource('a', 'note:a', {}, read)).toThrow('The resources of this server come from a Library')
  })

  it('asks as whoever the server knows its client as', async () => {
    const seen: string[] = []
    const made = library().resource('desk://me', (context) => {
      seen.push(context.principal.id)
      return ''
    })
    const server = new McpServerV1(WHO)
    openSdkLibrary(made).addTo(server)
    const client = new ClientV1(WHO)
    const [here, there] = MemoryV1.createLinkedPair()
    await Promise.all([server.connect(there), client.connect(here)])
    onTestFinished(() => client.close())
    await client.readResource({ uri: 'desk://me' })
    const send = here.send.bind(here)
    here.send = (message, options) => send(message, { ...options, authInfo: { token: 't', clientId: 'ann', scopes: [] } })
    await client.readResource({ uri: 'desk://me' })
    expect(seen).toEqual(['local', 'ann'])
  })

  it('asks as each of those who ask at once, and as nobody else', async () => {
    const made = library().resource('desk://me', ({ principal }) => principal.id)
    const server = new McpServerV1(WHO)
    openSdkLibrary(made).addTo(server)
    const client = new ClientV1(WHO)
    const [here, there] = MemoryV1.createLinkedPair()
    await Promise.all([server.connect(there), client.connect(here)])
    onTestFinished(() => client.close())
    const send = here.send.bind(here)
    const asking = ['ann', 'bob', 'cid']
    here.send = (message, options) =>
      send(message, { ...options, authInfo: { token: 't', clientId: asking.shift() ?? 'nobody', scopes: [] } })
    const reads = await Promise.all([1, 2, 3].map(async () => client.readResource({ uri: 'desk://me' })))
    expect(reads.map(({ contents }) => contents[0])).toMatchObject([{ text: 'ann' }, { text: 'bob' }, { text: 'cid' }])
  })

  it('tells why a Library cannot be started to its server alone, and tries again with the next request', async () => {
    const shut: Provider = {
      name: 'shut',
      prefixes: ['shut:'],
      start: async () => {
        throw new Error('no /srv/secret')
      },
      list: async () => ({ items: [] }),
      read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: '' }] }),
    }
    const made = library().mount(shut)
    const errors: unknown[] = []
    const server = new McpServerV1(WHO)
    openSdkLibrary(made, { onError: (error, { method }) => errors.push([method, error]) }).addTo(server)
    const client = new ClientV1(WHO)
    const [here, there] = MemoryV1.createLinkedPair()
    await Promise.all([server.connect(there), client.connect(here)])
    onTestFinished(() => client.close())
    await expect(client.readResource({ uri: 'desk://hours' })).rejects.toMatchObject({
      code: 10_503,
      message: 'MCP error 10503: Unavailable for now',
    })
    expect(errors).toEqual([['resources/read', expect.objectContaining({ message: 'no /srv/secret' })]])
    await made.unmount('shut')
    expect((await client.readResource({ uri: 'desk://hours' })).contents).toMatchObject([{ text: 'Monday to Friday, 9 to 18' }])
  })

  it.each(['before', 'after'])('ends what a client subscribed to with its server, whose author sets onclose %s', async (when) => {
    const watched = new Set<string>()
    const desks: Provider = {
      name: 'desks',
      prefixes: ['desks:'],
      list: async () => ({ items: [{ uri: 'desks:1', name: 'one' }] }),
      read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: '' }] }),
      watch: async () => ({
        add: async (uri) => void watched.add(uri),
        remove: (uri) => void watched.delete(uri),
        [Symbol.asyncDispose]: async () => undefined,
      }),
    }
    let closed = 0
    const server = new McpServerV1(WHO)
    const set = () => {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it has no other way
      server.server.onclose = () => closed++
    }
    if (when === 'before') set()
    openSdkLibrary(library().mount(desks)).addTo(server)
    if (when === 'after') set()
    const client = new ClientV1(WHO)
    const [here, there] = MemoryV1.createLinkedPair()
    await Promise.all([server.connect(there), client.connect(here)])
    await client.subscribeResource({ uri: 'desks:1' })
    expect([...watched]).toEqual(['desks:1'])
    await client.close()
    await expect.poll(() => watched.size).toBe(0)
    expect(closed).toBe(1)
  })

  it('announces to a server nothing that its legacy client hears of anyway', async () => {
    const made = library()
    const { shelf, server, client, told } = await openLegacyV2(made)
    const announced = await shelf.announce(server)
    onTestFinished(() => announced[Symbol.asyncDispose]())
    await client.subscribeResource({ uri: 'desk://hours' })
    made.updated('desk://hours')
    made.updated('desk://logo')
    await expect.poll(() => told).toEqual(['desk://hours'])
    made.resource('desk://new', () => '')
    await expect.poll(() => told).toEqual(['desk://hours', 'list'])
  })
})
