import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { openResourceTools, resourceToolsModule } from '../../src/host/tools/index.ts'
import { systemClock } from '../../src/library/index.ts'
import { createSealer } from '../../src/runtime/index.ts'
import { openEngine } from '../../src/server/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { connect, Connection, envelope } from './engine.ts'
import { settle } from './recording-sink.ts'

function served() {
  const library = createLibrary({ name: 'acme' })
    .resource('note:a', { mimeType: 'application/pdf' }, () => Uint8Array.of(0))
    .resource('note:b', () => 'B')
    .resource('note:fails', () => {
      throw new Error('disk gone')
    })
    .template('plan://{house}', ({ house }, { answers }) =>
      answers === undefined
        ? { kind: 'input-required', requests: { room: { method: 'elicitation/create', params: {} } }, state: 'room' }
        : `${house}: ${JSON.stringify(answers.responses['room'])}`,
    )
  const tools = openResourceTools(library, { limits: { pageItems: 1 } })
  return { library, modules: [resourceToolsModule(tools)] }
}

const call = (name: string, args: object, more: object = {}) => ({ name, arguments: args, ...more })

describe('resourceToolsModule()', () => {
  it('declares tools, and lists them as each revision knows them', async () => {
    const { library, modules } = served()
    const modern = await (await connect(library, { modules })).modern('tools/list')
    expect(modern?.result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' })
    const members = async (revision: string) => {
      const connection = await connect(library, { modules })
      expect((await connection.initialize(revision))?.result).toMatchObject({ capabilities: { tools: {} } })
      const result = (await connection.legacy('tools/list'))?.result as { tools: readonly object[] }
      return [Object.keys(result), Object.keys(result.tools[0] ?? {})]
    }
    expect(await members('2024-11-05')).toEqual([['tools'], ['name', 'description', 'inputSchema']])
    expect(await members('2025-03-26')).toEqual([['tools'], ['name', 'description', 'inputSchema', 'annotations']])
    expect(await members('2025-06-18')).toEqual([['tools'], ['name', 'description', 'inputSchema', 'title', 'annotations']])
  })

  it('tells of other templates whose tools were listed, in both eras, until the server closes', async () => {
    const clock = createFakeClock()
    const library = createLibrary({ name: 'acme', clock }).template('a:{id}', ({ id }) => id)
    const tools = openResourceTools(library, { templates: true, clock })
    const modules = [resourceToolsModule(tools)]
    const add = async (template: string) => {
      library.template(template, () => '')
      clock.advance(100)
      await settle()
    }
    const engine = await openEngine(library, { sealer: createSealer(), clock: systemClock, modules })
    const legacy = new Connection(engine)
    expect((await legacy.initialize())?.result).toMatchObject({ capabilities: { tools: { listChanged: true } } })
    const modern = new Connection(engine)
    const params = { _meta: envelope(), notifications: { toolsListChanged: true } }
    await modern.send({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
    await modern.modern('tools/list')
    await add('b:{id}')
    const method = 'notifications/tools/list_changed'
    expect(legacy.sink.notifications).toContainEqual({ jsonrpc: '2.0', method })
    expect(modern.sink.notifications.at(-1)).toEqual({
      jsonrpc: '2.0',
      method,
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
    })
    await engine.close()
    const told = legacy.sink.notifications.length
    await add('c:{id}')
    expect(legacy.sink.notifications).toHaveLength(told)
    await tools[Symbol.asyncDispose]()
  })

  it('gives links to those that know them', async () => {
    const { library, modules } = served()
    const types = async (revision: string) => {
      const connection = await connect(library, { modules })
      await connection.initialize(revision)
      const result = (await connection.legacy('tools/call', call('read_resource', { uri: 'note:a' })))?.result
      return (result as { content: readonly { type: string }[] }).content.map(({ type }) => type)
    }
    expect([await types('2025-03-26'), await types('2025-06-18')]).toEqual([['text'], ['text', 'resource_link']])
  })

  it('seals cursors, so that no other place and no other caller can be read from them', async () => {
    const { library, modules } = served()
    const connection = await connect(library, { modules })
    const list = async (args: object) => {
      const result = (await connection.modern('tools/call', call('list_resources', args)))?.result
      return (result as { content: readonly [{ text: string }]; isError?: true }).content[0].text
    }
    const cursor = /cursor ([\w-]+)\]$/.exec(await list({}))?.[1]
    expect(await list({ cursor })).toMatch(/^note:b\n/)
    expect(await list({ cursor, directory: 'note:' })).toMatch(/^This cursor is not one of this list/)
    expect(await list({ cursor: `${cursor}A` })).toMatch(/^This cursor is not one of this list/)
    expect((await connection.modern('tools/list', { cursor }))?.error).toMatchObject({ code: -32_602 })
  })

  it('lets a resource ask its user, as a read does', async () => {
    const { library, modules } = served()
    const connection = await connect(library, { modules })
    const read = call('read_resource', { uri: 'plan://home' })
    const asked = (await connection.modern('tools/call', read, { elicitation: {} }))?.result
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { room: { method: 'elicitation/create' } } })
    const answered = { ...read, inputResponses: { room: 2 }, requestState: asked?.['requestState'] }
    expect((await connection.modern('tools/call', answered, { elicitation: {} }))?.result).toMatchObject({
      content: [{ type: 'text', text: 'home: 2' }],
    })
  })

  it('tells the server, and not the model, why a source failed', async () => {
    const { library, modules } = served()
    const errors: unknown[] = []
    const connection = await connect(library, { modules, onError: (error) => errors.push(error) })
    const result = (await connection.modern('tools/call', call('read_resource', { uri: 'note:fails' })))?.result
    expect(result).toMatchObject({ isError: true })
    expect(JSON.stringify(result)).not.toContain('disk')
    expect(errors).toEqual([expect.objectContaining({ message: 'disk gone' })])
  })

  it('gives nothing that the server denies to its caller, and says the same of it as of what is absent', async () => {
    const { library, modules } = served()
    const connection = await connect(library, { modules, access: (_principal, _operation, uri) => uri !== 'note:b' })
    const text = async (name: string, args: object) =>
      JSON.stringify((await connection.modern('tools/call', call(name, args)))?.result)
    expect(await text('read_resource', { uri: 'note:b' })).toBe(
      (await text('read_resource', { uri: 'note:z' })).replaceAll('note:z', 'note:b'),
    )
    expect(await text('list_resources', {})).not.toContain('note:b')
  })

  it('knows no other tool', async () => {
    const { library, modules } = served()
    const connection = await connect(library, { modules })
    expect((await connection.modern('tools/call', call('__proto__', {})))?.error).toMatchObject({
      code: -32_602,
      message: 'Unknown tool: __proto__',
    })
    expect((await connection.modern('tools/call', { name: 1 }))?.error).toMatchObject({ code: -32_602 })
    expect((await connection.modern('tools/call', { name: 'list_resources', arguments: [] }))?.result).toMatchObject({
      isError: true,
    })
  })
})
