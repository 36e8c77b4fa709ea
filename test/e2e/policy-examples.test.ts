import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ShelfError, localCall } from 'shelfmark'
import type { Library, Provider, ReadResult } from 'shelfmark'
import { memory } from 'shelfmark/providers/memory'
import { archive } from '../../examples/policies/audit.ts'
import { newsstand } from '../../examples/policies/cache.ts'
import { office } from '../../examples/policies/concurrency.ts'
import { weather } from '../../examples/policies/deadline.ts'
import { guesthouse } from '../../examples/policies/limits.ts'
import { catalogue } from '../../examples/policies/rate.ts'
import { notebook } from '../../examples/policies/redact.ts'
import { folderOfTest } from './command-line.ts'

const alice = () => localCall({ principal: { id: 'alice', kind: 'authenticated', scopes: [], claims: {} } })
const one = memory({ name: 'm', resources: [{ uri: 'x:1', text: 'one' }] })
const read = (library: Library, uri: string, call = alice()): Promise<ReadResult> => library.read({ uri, maxBytes: 100 }, call)

async function textOf(reading: Promise<ReadResult>): Promise<unknown> {
  const result = await reading
  if (result.kind !== 'contents') return result
  await result[Symbol.asyncDispose]?.()
  const [first] = result.contents
  return first !== undefined && 'text' in first ? first.text : first
}

describe('the examples of docs/policies.md', () => {
  it('deadline: gives up, and ends the request to the site', async () => {
    let ended = false
    const site = createServer((request, response) => {
      if (request.url === '/fast') response.end('sunny')
      else response.on('close', () => (ended = true))
    })
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void site.close())
    const base = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    expect(await textOf(read(weather(`${base}/fast`), 'weather://today'))).toBe('sunny')
    await expect(read(weather(`${base}/slow`), 'weather://today')).rejects.toMatchObject({
      code: 'timeout',
      details: { afterMs: 5000 },
    })
    await expect.poll(() => ended).toBe(true)
  })

  it('concurrency: makes one report at a time, and answers others meanwhile', async () => {
    const ends: (() => void)[] = []
    const reports: Provider = {
      name: 'reports',
      prefixes: ['report:'],
      list: async () => ({ items: [] }),
      read: ({ uri }) =>
        new Promise((resolve) => void ends.push(() => resolve({ kind: 'contents', contents: [{ uri, text: uri }] }))),
    }
    const library = office(reports)
    const both = [textOf(read(library, 'report:1')), textOf(read(library, 'report:2'))]
    expect(await textOf(read(library, 'office://hours'))).toBe('Monday to Friday, 9 to 18')
    expect(ends).toHaveLength(1)
    ends[0]!()
    expect(await both[0]).toBe('report:1')
    await expect.poll(() => ends).toHaveLength(2)
    ends[1]!()
    expect(await both[1]).toBe('report:2')
  })

  it('rate: answers 20 requests at once', async () => {
    const library = catalogue(one)
    const answers = await Promise.allSettled(Array.from({ length: 25 }, () => read(library, 'x:1')))
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as ShelfError] : []))
    expect(refused.map(({ code }) => code)).toEqual(['busy', 'busy', 'busy', 'busy', 'busy'])
    for (let i = 0; i < 100; i++) await read(library, 'x:1', localCall())
  })

  it('audit: writes down what was read and what was not there', async () => {
    const file = join(folderOfTest(), 'audit.jsonl')
    const { library, log } = await archive(one, file)
    expect(await textOf(read(library, 'x:1'))).toBe('one')
    await expect(read(library, 'x:2')).rejects.toMatchObject({ code: 'not-found' })
    await library[Symbol.asyncDispose]()
    await log.close()
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { principal: 'alice', operation: 'read', uri: 'x:1', outcome: 'ok', bytes: 3 },
      { principal: 'alice', operation: 'read', uri: 'x:2', outcome: 'not-found' },
    ])
  })

  it('limits: refuses what is too large or too deep, of the guest alone', async () => {
    const guest = memory({
      name: 'guest',
      resources: [
        { uri: 'x:1', text: 'one' },
        { uri: 'x:2', text: '-'.repeat(1024 * 1024 + 1) },
      ],
    })
    const library = guesthouse({ ...guest, children: async () => ({ items: [] }) })
    const whole = (uri: string) => library.read({ uri, maxBytes: 5 * 1024 * 1024 }, alice())
    expect(await textOf(whole('guest+x:1'))).toBe('one')
    expect(await textOf(whole('house://rules'))).toBe('Quiet after ten')
    await expect(whole('guest+x:2')).rejects.toMatchObject({ code: 'too-large', details: { size: 1048577, limit: 1048576 } })
    const children = (uri: string) => library.children({ uri, limit: 1 }, alice())
    expect(await children('guest+x:a/b/c/d/e/f/g/h')).toEqual({ items: [] })
    await expect(children('guest+x:a/b/c/d/e/f/g/h/i')).rejects.toMatchObject({ code: 'refused' })
  })

  it('redact: replaces what is known and what is one’s own, and says where', async () => {
    const lines: string[] = []
    const text = 'BADGE-0123CAFE may use password=hunter22, BADGE-X may not'
    const notes = memory({ name: 'notes', resources: [{ uri: 'note:1', text }] })
    expect(
      await textOf(
        read(
          notebook(notes, (line) => lines.push(line)),
          'note:1',
        ),
      ),
    ).toBe('[redacted:badge] may use password=[redacted:password] BADGE-X may not')
    expect(lines).toEqual(['note:1: 1 of badge', 'note:1: 1 of password'])
  })

  it('cache: asks the archive once, and again after a change', async () => {
    const papers = memory({ name: 'papers', resources: [{ uri: 'paper:1', text: 'one' }] })
    let reads = 0
    const library = newsstand({
      ...papers,
      read: (request, call) => {
        reads++
        return papers.read(request, call)
      },
    })
    const watcher = await library.watch(() => undefined)
    await watcher.add('paper:1')
    for (let i = 0; i < 3; i++) expect(await textOf(read(library, 'paper:1'))).toBe('one')
    expect(reads).toBe(1)
    papers.update('paper:1', { text: 'two' })
    expect(await textOf(read(library, 'paper:1'))).toBe('two')
    expect(reads).toBe(2)
    await watcher[Symbol.asyncDispose]()
  })
})
