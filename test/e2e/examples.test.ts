import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readingRoom } from '../../examples/access.ts'
import { follow } from '../../examples/client.ts'
import { gateway } from '../../examples/gateway.ts'
import { modelTools } from '../../examples/tools.ts'
import { openClient } from 'shelfmark/client'
import { createLibrary } from 'shelfmark'
import { connectMemory } from 'shelfmark/transports/memory'
import type { MemoryOptions } from 'shelfmark/transports/memory'
import { CLI, folderOfTest } from './command-line.ts'

const serve = (root: string, name: string): string => `'${process.execPath}' '${CLI}' serve '${name}=${root}'`

describe('the client of README.md', () => {
  it('prints what there is, and again what changes', async () => {
    const root = folderOfTest()
    writeFileSync(join(root, 'a.md'), 'one')
    writeFileSync(join(root, 'b.bin'), Buffer.from([0, 255]))
    const printed: string[] = []
    const stop = new AbortController()
    const followed = follow(serve(root, 'docs'), (text) => printed.push(text), stop.signal)
    await expect.poll(() => printed, { timeout: 10_000 }).toEqual(['file:///docs/a.md: one', 'file:///docs/b.bin: no text'])
    writeFileSync(join(root, 'a.md'), 'two')
    await expect.poll(() => printed.slice(2), { timeout: 10_000 }).toEqual(['file:///docs/a.md: two'])
    stop.abort()
    await followed
  })
})

describe('the gateway of docs/gateway.md', () => {
  it('lists and reads what is on the others, and its own', async () => {
    const [handbook, tickets] = [folderOfTest(), folderOfTest()]
    writeFileSync(join(handbook, 'a.md'), 'A')
    writeFileSync(join(tickets, '7.md'), 'The lamp is out')
    const library = gateway({ handbook: serve(handbook, 'docs'), tickets: serve(tickets, 'open') })
    const client = openClient(() => connectMemory(library, { extended: true }))
    onTestFinished(async () => {
      await client.close()
      await library[Symbol.asyncDispose]()
    })
    const uris: string[] = []
    for await (const { uri } of client.list()) uris.push(uri)
    expect(uris).toEqual(['desk://hours', 'handbook+file:///docs/a.md', 'tickets+file:///open/7.md'])
    expect(await client.readText('tickets+file:///open/7.md')).toBe('The lamp is out')
    expect(await client.readText('desk://hours')).toBe('Monday to Friday, 9 to 18')
  })
})

describe('the reading room of docs/policies.md', () => {
  it('shows each reader what the rules say, until it closes', async () => {
    const lines: string[] = []
    const { library, close } = readingRoom((line) => lines.push(line))
    const listed = async (principal: MemoryOptions['principal']): Promise<readonly string[]> => {
      const client = openClient(() => connectMemory(library, { ...(principal && { principal }) }))
      onTestFinished(() => client.close())
      const uris: string[] = []
      for await (const { uri } of client.list()) uris.push(uri)
      return uris
    }
    const reader = (id: string, groups: readonly string[] = []) =>
      ({ id, kind: 'authenticated', scopes: [], claims: { groups } }) as const
    expect(await listed(undefined)).toEqual(['book://atlas', 'book://drafts/memoir', 'loan://ann/atlas'])
    expect(await listed(reader('ann'))).toEqual(['book://atlas', 'loan://ann/atlas'])
    expect(await listed(reader('bob'))).toEqual(['book://atlas'])
    expect(await listed(reader('eve', ['staff']))).toEqual(['book://atlas', 'loan://ann/atlas'])
    expect(lines).toContain('denied bob list "book://drafts/memoir" (drafts)')
    close()
    expect(await listed(reader('ann'))).toEqual([])
    expect(await listed(undefined)).toEqual(['book://atlas', 'book://drafts/memoir', 'loan://ann/atlas'])
  })
})

describe('the tools of docs/host.md', () => {
  it('are defined for a model, and run what it asks for', async () => {
    const library = createLibrary({ name: 'desk' }).template('ticket://{id}', { name: 'ticket' }, ({ id }) => `The lamp of ${id}`)
    const { definitions, run, close } = await modelTools(library)
    onTestFinished(async () => {
      await close()
      await library[Symbol.asyncDispose]()
    })
    expect(definitions.map(({ name }) => name)).toEqual(['find_resources', 'read_resource', 'list_resources', 'read_ticket'])
    expect(await run({ id: 'toolu_1', name: 'read_ticket', input: { id: 'A/1 b' } })).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_1',
      content: [{ type: 'text', text: 'The lamp of A/1 b' }],
    })
  })
})
