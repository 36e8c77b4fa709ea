import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../temporary-tree.ts'
import type { Outcome } from './file-clients.ts'
import { FILE_CLIENTS } from './file-clients.ts'
import { changeFile } from './file-writers.ts'
import type { FILE_WRITERS } from './file-writers.ts'

const ABREAST = 8

/** What a read came to: `whole` and `part` are bodies of one generation of the file. */
function kindOf(outcome: Outcome): string {
  if (outcome === 'broken') return 'broken'
  if ('refused' in outcome) return `refused ${outcome.refused}`
  const { body } = outcome
  if (body.length > 5 * 1024 * 1024) return 'too long'
  if (body.includes(0)) return 'padded'
  if (!body.equals(Buffer.alloc(body.length, body.subarray(0, 1)))) return 'mixed'
  return body.length === 400_000 || body.length === 300_000 ? 'whole' : 'part'
}

const NOT_FOUND = ['refused not-found', 'refused -32602']
const TOO_LARGE = ['refused too-large', 'refused 10413']
const SHORTER = ['refused unavailable', 'refused 10503', 'broken']

/** What may come of a read while a file is changed in some way, and what of it must be seen. */
const FAULTS: readonly (readonly [
  how: keyof typeof FILE_WRITERS,
  name: string,
  may: readonly string[],
  must: readonly string[],
])[] = [
  ['replaces', 'a.txt', ['whole'], ['whole']],
  ['replaces', 'a.zip', ['whole'], ['whole']],
  ['truncates', 'a.txt', ['whole', 'part', 'mixed'], ['part']],
  ['truncates', 'a.zip', ['whole', 'part', 'mixed', ...SHORTER], SHORTER],
  ['grows', 'a.txt', ['whole', 'part', ...TOO_LARGE], TOO_LARGE],
  ['grows', 'a.zip', ['whole', 'part', ...SHORTER, ...TOO_LARGE], TOO_LARGE],
  ['rotates', 'a.txt', ['whole', 'part', ...NOT_FOUND], ['whole', 'part']],
  ['rotates', 'a.zip', ['whole', 'part', ...NOT_FOUND], ['whole', 'part']],
  ['removes', 'a.txt', ['whole', ...NOT_FOUND], ['whole']],
  ['removes', 'a.zip', ['whole', ...NOT_FOUND], ['whole']],
]

describe.skipIf(process.platform !== 'linux').each(FILE_CLIENTS)('%s, while a process changes a file', (name, openClient) => {
  it.each(FAULTS)('that it %s, reads %s consistently, holds nothing, and reads on', async (how, file, may, must) => {
    const reads = name !== 'files()' ? 120 : how === 'replaces' ? 2_000 : 400
    const tree = await temporaryTree({ 'good.md': 'good' })
    const client = await openClient(tree.root)
    const stop = await changeFile(how, join(tree.root, file))
    const seen: Record<string, number> = {}
    const end = performance.now() + 10_000
    const isSeen = () => must.some((kind) => kind in seen)
    for (let i = 0; (i < reads || !isSeen()) && performance.now() < end; i += ABREAST) {
      for (const outcome of await Promise.all(Array.from({ length: ABREAST }, () => client.read(file)))) {
        const kind = kindOf(outcome)
        seen[kind] = (seen[kind] ?? 0) + 1
      }
    }
    await stop()
    expect(Object.keys(seen).filter((kind) => !may.includes(kind))).toEqual([])
    expect(isSeen()).toBe(true)
    expect(await client.read('good.md')).toEqual({ body: Buffer.from('good') })
    await expect.poll(() => client.open(), { timeout: 5_000 }).toBe(0)
  })
})
