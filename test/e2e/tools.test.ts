import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { beside, CLI, folderOfFile, modern, run } from './command-line.ts'
import type { Target } from './official-clients.ts'
import { connectV1, connectV2 } from './official-clients.ts'
import { served } from './served.ts'

/** What a host that knows only tools has of a server. */
interface ToolHost {
  readonly capabilities: object | undefined
  tools(): Promise<readonly string[]>
  /** The text of what a tool gave, and whether it failed. */
  call(name: string, args: Record<string, unknown>): Promise<readonly [text: string, isError: boolean]>
}

function textOf(result: object): readonly [string, boolean] {
  const { content, isError } = result as { readonly content: unknown; readonly isError?: unknown }
  const blocks = content as readonly { readonly type: string; readonly text?: string }[]
  return [blocks.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n'), isError === true]
}

async function hostV2(target: Target, mode: 'auto' | 'legacy'): Promise<ToolHost> {
  const client = await connectV2(target, mode)
  onTestFinished(() => client.close())
  return {
    capabilities: client.getServerCapabilities(),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => textOf(await client.callTool({ name, arguments: args })),
  }
}

async function hostV1(target: Target): Promise<ToolHost> {
  const client = await connectV1(target)
  onTestFinished(() => client.close())
  return {
    capabilities: client.getServerCapabilities(),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => textOf(await client.callTool({ name, arguments: args })),
  }
}

const HOSTS: readonly (readonly [name: string, open: (target: Target) => Promise<ToolHost>])[] = [
  ['client 2.4.0, auto', (target) => hostV2(target, 'auto')],
  ['client 2.4.0, legacy', (target) => hostV2(target, 'legacy')],
  ['sdk 1.32.2', hostV1],
]

/**
 * An agent that follows a script and what the tools say, and knows nothing else: it looks for words, takes the first URI
 * of the answer, fills in braces with what it wants to know about, and reads. Returns what it read, and its calls.
 */
async function agent(
  host: ToolHost,
  words: string,
  about: string,
): Promise<{ readonly read: string; readonly calls: readonly string[] }> {
  const calls: string[] = []
  const call = async (name: string, args: Record<string, unknown>): Promise<string> => {
    calls.push(name)
    const [text, isError] = await host.call(name, args)
    if (isError) throw new Error(text)
    return text
  }
  const found = await call('find_resources', { query: words })
  const first = /^(?:1\. )?([a-z]+:\S+)$/m.exec(found)?.[1]
  if (first === undefined) throw new Error(found)
  const uri = first.replace(/\{\w+\}/, encodeURIComponent(about))
  return { read: await call('read_resource', { uri }), calls }
}

describe('a server of tools alone', () => {
  const { transports } = served([beside('tools-server.mjs')], ['--http'])

  for (const [name, open] of HOSTS) {
    for (const [transport, target] of transports) {
      it(`lets an agent find and read the right one of 20 resources and 3 templates within three calls: ${name}, ${transport}`, async () => {
        const host = await open(target())
        expect(host.capabilities).toMatchObject({ tools: {} })
        expect(host.capabilities).not.toHaveProperty('resources')
        expect(await host.tools()).toEqual(['find_resources', 'read_resource', 'list_resources', 'read_order'])
        expect(await agent(host, 'flowerpot key', '')).toEqual({
          read: 'A book on ferns. The key is under the blue flowerpot.',
          calls: ['find_resources', 'read_resource'],
        })
        expect(await agent(host, 'what has someone borrowed', 'ann')).toEqual({
          read: 'ann has book 3',
          calls: ['find_resources', 'read_resource'],
        })
        expect(await host.call('read_order', { id: 'A/1 b' })).toEqual(['Order A/1 b', false])
      })

      it(`tells a model what is wrong: ${name}, ${transport}`, async () => {
        const host = await open(target())
        expect(await host.call('read_resource', { url: 'book://1' })).toEqual([
          'Wrong arguments: there is no argument "url"; uri is missing. It takes uri (string), offset (integer, optional).',
          true,
        ])
        expect((await host.call('read_resource', { uri: 'book://99' }))[1]).toBe(true)
        await expect(host.call('delete_resource', {})).rejects.toMatchObject({ code: -32_602 })
        const page = await host.call('list_resources', { cursor: 'forged' })
        expect(page).toEqual([
          'This cursor is not one of this list, or is too old. Call list_resources without it to begin anew.',
          true,
        ])
      })
    }
  }
})

describe('shelfmark serve', () => {
  const root = folderOfFile()
  writeFileSync(join(root, 'a.md'), '# The cellar\n\nThe boiler is there.\n')
  const { transports } = served([CLI, 'serve', `docs=${root}`], ['--http', '0'])

  it.each(transports)('offers tools over %s', async (_name, target) => {
    const host = await hostV2(target(), 'auto')
    expect(await host.tools()).toEqual(['find_resources', 'read_resource', 'list_resources'])
    expect(await agent(host, 'boiler', '')).toEqual({
      read: '# The cellar\n\nThe boiler is there.\n',
      calls: ['find_resources', 'read_resource'],
    })
  })

  it('makes a tool of each template with --template-tools', async () => {
    const host = await hostV2({ args: [CLI, 'serve', `docs=${root}`, '--template-tools'] }, 'auto')
    const [, , , name = ''] = await host.tools()
    expect(name).toMatch(/^read_/)
    expect(await host.call(name, { path: 'a.md' })).toEqual(['# The cellar\n\nThe boiler is there.\n', false])
  })

  it('offers none with --no-tools', async () => {
    const program = run([CLI, 'serve', `docs=${root}`, '--no-tools'])
    program.send(modern(1, 'server/discover'), modern(2, 'tools/list'))
    expect((await program.answer(1)).result).not.toHaveProperty('capabilities.tools')
    expect((await program.answer(2)).error).toMatchObject({ code: -32_601 })
  })

  it('says that the two options say opposite things', async () => {
    const ended = await run([CLI, 'serve', root, '--no-tools', '--template-tools']).ended
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('--no-tools leaves out what --template-tools offers')])
  })
})
