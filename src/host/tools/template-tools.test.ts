import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scripted } from '../../../test/host/scripted-provider.ts'
import { ShelfError } from '../../errors.ts'
import type { Library, Provider } from '../../library/index.ts'
import { access, createLibrary, localCall, settleable } from '../../library/index.ts'
import { META_SERVER } from '../../protocol/index.ts'
import type { ResourceTemplate } from '../../protocol/index.ts'
import { createFakeClock } from '../../testing/index.ts'
import type { ResourceTools, ResourceToolsOptions, ToolResult } from './index.ts'
import { openResourceTools } from './index.ts'
import { nameTemplates } from './template-names.ts'

const call = localCall()

async function opened(library: Library, options: ResourceToolsOptions = { templates: true }) {
  await library.start()
  const tools = openResourceTools(library, options)
  onTestFinished(async () => {
    await tools[Symbol.asyncDispose]()
    await library[Symbol.asyncDispose]()
  })
  return tools
}

const text = ({ content }: ToolResult): string => content.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('\n')

const desk = (): Library =>
  createLibrary({ name: 'desk' }).template(
    'ticket://{team}/{id}{?fields*,lang}',
    { name: 'Help-desk ticket', description: 'One ticket', complete: { team: ['red', 'blue'] } },
    ({ team, id, fields, lang }) => JSON.stringify({ team, id, fields, lang }),
  )

describe('tools of templates', () => {
  it('are there on request', async () => {
    const names = async (options: ResourceToolsOptions) =>
      (await (await opened(desk(), options)).definitions(call)).slice(3).map(({ name }) => name)
    expect(await names({})).toEqual([])
    expect(await names({ templates: ['ticket://{other}'] })).toEqual([])
    expect(await names({ templates: ['ticket://{team}/{id}{?fields*,lang}'] })).toEqual(['read_help_desk_ticket'])
    expect(await names({ templates: true, limits: { templateTools: 0 } })).toEqual([])
  })

  it('have typed arguments, with what the server suggests', async () => {
    const [, , , tool] = await (await opened(desk())).definitions(call)
    const of = 'ticket://{team}/{id}{?fields*,lang}, as it is: it will be percent-encoded'
    expect(tool).toEqual({
      name: 'read_help_desk_ticket',
      title: 'Help-desk ticket',
      description: 'Reads Help-desk ticket: the resource ticket://{team}/{id}{?fields*,lang} with these values. One ticket',
      inputSchema: {
        type: 'object',
        properties: {
          team: { type: 'string', maxLength: 8_192, description: `The team of ${of}, one of red, blue`, enum: ['red', 'blue'] },
          id: { type: 'string', maxLength: 8_192, description: `The id of ${of}` },
          fields: {
            type: 'array',
            items: { type: 'string' },
            maxItems: 100,
            description: `The fields of ${of}. Optional: without it the default of the server holds`,
          },
          lang: {
            type: 'string',
            maxLength: 8_192,
            description: `The lang of ${of}. Optional: without it the default of the server holds`,
          },
        },
        required: ['team', 'id'],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, idempotentHint: true },
    })
  })

  it('encode values, so that each reads the URI that was meant', async () => {
    const tools = await opened(desk())
    const read = async (args: object) => text(await tools.run('read_help_desk_ticket', args, call))
    expect(await read({ team: 'red', id: 'A/1 b' })).toBe('{"team":"red","id":"A/1 b"}')
    expect(await read({ team: '%2e', id: 'ü?#', fields: ['a b', 'c&d'], lang: '' })).toBe(
      '{"team":"%2e","id":"ü?#","fields":["a b","c&d"]}',
    )
    expect(await read({ team: 'green', id: '1', lang: 'en', fields: null })).toBe('{"team":"green","id":"1","lang":"en"}')
  })

  it('have an argument for each variable, whatever it is called', async () => {
    const provider: Provider = {
      name: 'odd',
      prefixes: 'any',
      list: async () => ({ items: [] }),
      read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: uri }] }),
      templates: async () => ({ items: [{ uriTemplate: 'odd:{value_2}/{a.b}', name: 'odd' }] }),
    }
    const tools = openResourceTools(provider, { templates: true })
    onTestFinished(() => tools[Symbol.asyncDispose]())
    const [, , , tool] = await tools.definitions(call)
    expect(tool?.inputSchema.required).toEqual(['value_2', 'value_2_'])
    expect(text(await tools.run('read_odd', { value_2: '1', value_2_: '2' }, call))).toBe('odd:1/2')
  })

  it('say how a value is written that is not encoded', async () => {
    const library = createLibrary({ name: 'desk' }).template('desk:{+path}', { name: 'desk' }, ({ path }) => path)
    const tools = await opened(library)
    const [, , , tool] = await tools.definitions(call)
    expect(tool?.inputSchema.properties['path']?.description).toBe(
      'The path of desk:{+path}, as it stands in the URI: a ?, # or % of its own is written %3F, %23 or %25',
    )
    expect(text(await tools.run('read_desk', { path: 'a/b %231' }, call))).toBe('a/b #1')
  })

  it('say what is wrong', async () => {
    const tools = await opened(
      createLibrary({ name: 'desk' }).template('ticket://{id}', { name: 't', complete: { id: ['7'] } }, ({ id }) =>
        id === '7' ? 'x' : undefined,
      ),
    )
    expect(text(await tools.run('read_t', { id: 7 }, call))).toBe(
      'Wrong arguments: id must be a string of at most 8192 characters. It takes id (string).',
    )
    expect(text(await tools.run('read_t', { id: '8' }, call))).toMatch(/^There is no resource ticket:\/\/8 here\.[^]*\nid: 7$/)
  })
})

describe('nameTemplates()', () => {
  const template = (uriTemplate: string, name: string, server?: string): ResourceTemplate => ({
    uriTemplate,
    name,
    ...(server !== undefined && { _meta: { [META_SERVER]: server } }),
  })
  const names = (...templates: readonly ResourceTemplate[]) =>
    Object.fromEntries([...nameTemplates(templates, ['read_resource'])].map(([name, { uriTemplate }]) => [uriTemplate, name]))

  it('names a tool after its template, and after its server where two would be called the same', () => {
    const all = [
      template('a+issue:{n}', 'issue', 'a'),
      template('b+issue:{n}', 'Issue', 'b'),
      template('c:{n}', 'Über uns'),
      template('d:{n}', '本'),
      template('e:{n}', 'resource'),
    ]
    const wanted = {
      'a+issue:{n}': 'read_a_issue',
      'b+issue:{n}': 'read_b_issue',
      'c:{n}': 'read_uber_uns',
      'd:{n}': 'read_template',
      'e:{n}': 'read_resource_2',
    }
    expect(names(...all)).toEqual(wanted)
    expect(names(...all.toReversed())).toEqual(wanted)
  })

  it('numbers what is still the same, within 64 characters', () => {
    const long = 'x'.repeat(100)
    expect(names(template('a:{n}', long), template('b:{n}', long), template('c:{n}', long))).toEqual({
      'a:{n}': `read_${'x'.repeat(59)}`,
      'b:{n}': `read_${'x'.repeat(57)}_2`,
      'c:{n}': `read_${'x'.repeat(57)}_3`,
    })
  })
})

describe('ResourceTools.onChange()', () => {
  const changing = async (tools: ResourceTools) => {
    let told = 0
    const end = tools.onChange?.(() => told++)
    return { told: () => told, end }
  }
  const who = (id: string) => localCall({ principal: { id, kind: 'authenticated', scopes: [], claims: {} } })

  it('is there where tools may change', async () => {
    expect((await opened(desk(), {})).onChange).toBeUndefined()
    expect((await opened(desk())).onChange).toBeTypeOf('function')
    const still: Provider = {
      name: 'still',
      prefixes: ['a:'],
      list: async () => ({ items: [] }),
      read: async () => Promise.reject(new ShelfError('not-found', 'None', { uri: 'a:' })),
      [Symbol.asyncDispose]: async () => undefined,
    }
    expect(openResourceTools(still, { templates: true }).onChange).toBeUndefined()
  })

  it('tells of other templates, to whoever has listed tools, and of nothing else', async () => {
    const clock = createFakeClock()
    const library = createLibrary({ name: 'desk', clock }).template('a:{id}', ({ id }) => id)
    const tools = await opened(library, { templates: true, clock })
    const { told, end } = await changing(tools)
    const pass = async () => {
      clock.advance(100)
      await pause(20)
    }
    library.template('b:{id}', ({ id }) => id)
    await pass()
    expect(told()).toBe(0)
    await tools.definitions(call)
    library.resource('c:1', () => '')
    await pass()
    expect(told()).toBe(0)
    library.template('d:{id}', { name: 'd' }, ({ id }) => id)
    await pass()
    expect(told()).toBe(1)
    expect(text(await tools.run('read_d', { id: '7' }, call))).toBe('7')
    end?.()
    library.template('e:{id}', ({ id }) => id)
    await pass()
    expect(told()).toBe(1)
  })

  it('tells of what one of the callers may see, whoever else may not', async () => {
    const clock = createFakeClock()
    const library = createLibrary({ name: 'desk', clock })
      .template('a:{id}', ({ id }) => id)
      .use(access({ rules: [{ allow: ['a:'] }, { allow: ['b:'], who: { id: 'ann' } }] }))
    const tools = await opened(library, { templates: true, clock })
    const { told } = await changing(tools)
    const add = async (template: string) => {
      library.template(template, () => '')
      clock.advance(100)
      await pause(20)
    }
    await tools.definitions(who('bob'))
    await add('b:{id}')
    expect(told()).toBe(0)
    await tools.definitions(who('ann'))
    await add('b:{id}/{part}')
    expect(told()).toBe(1)
  })

  it('tells of what changes while tools are made', async () => {
    const clock = createFakeClock()
    const { promise: values, resolve: give } = settleable<string[]>()
    const library = createLibrary({ name: 'desk', clock }).template('a:{id}', { complete: { id: () => values } }, ({ id }) => id)
    const tools = await opened(library, { templates: true, clock })
    const { told } = await changing(tools)
    const listed = tools.definitions(call)
    await pause(20)
    library.template('b:{id}', ({ id }) => id)
    clock.advance(100)
    await pause(20)
    give(['1'])
    expect((await listed).map(({ name }) => name).slice(3)).toEqual(['read_a_id'])
    await expect.poll(told).toBe(1)
  })

  it('tells of what only a call has come by since they were listed', async () => {
    const clock = createFakeClock()
    const library = createLibrary({ name: 'desk', clock }).template('a:{id}', { name: 'a' }, ({ id }) => id)
    const tools = await opened(library, { templates: true, clock })
    const { told } = await changing(tools)
    await tools.definitions(call)
    clock.advance(60_000)
    library.template('b:{id}', { name: 'b' }, ({ id }) => id)
    expect(text(await tools.run('read_b', { id: '7' }, call))).toBe('7')
    clock.advance(100)
    await expect.poll(told).toBe(1)
  })

  it('tells all who listen, though one of them throws', async () => {
    const clock = createFakeClock()
    const library = createLibrary({ name: 'desk', clock })
    const tools = await opened(library, { templates: true, clock })
    tools.onChange?.(() => {
      throw new Error('nobody home')
    })
    const { told } = await changing(tools)
    await tools.definitions(call)
    library.template('a:{id}', ({ id }) => id)
    clock.advance(100)
    await expect.poll(told).toBe(1)
  })

  it('ends with the tools, whatever a source does not answer', async () => {
    let asked = 0
    const { provider, tell, listeners } = scripted({
      templates: async () => (asked++ === 0 ? { items: [] } : new Promise(() => undefined)),
    })
    const tools = openResourceTools(provider, { templates: true })
    await tools.definitions(call)
    tell({ kind: 'list' })
    await expect.poll(() => asked).toBe(2)
    await tools[Symbol.asyncDispose]()
    expect(listeners.size).toBe(0)
  })
})
