import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLI, endpoint, folderOfTest, run } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import { ask, descriptors, resident, settled, TELLS } from './wire.ts'

const MANY = 60
const SIZE = 5_000_000

/** A folder with five megabytes of ASCII, of other text, and of bytes. */
function folder(): string {
  const path = folderOfTest()
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'ascii.txt'), 'abcdefghi\n'.repeat(SIZE / 10))
  writeFileSync(join(path, 'other.txt'), 'aé€𝒳\n'.repeat(SIZE / 11))
  writeFileSync(join(path, 'bytes.bin'), Buffer.alloc(SIZE, 200))
  writeFileSync(join(path, 'small.md'), 'small')
  return `docs=${path}`
}

describe.skipIf(!TELLS)('`shelfmark serve --http` with a heap of 128 MiB', () => {
  it('answers 60 clients that read five megabytes each, in turn, and lets go of all of it', { timeout: 180_000 }, async () => {
    const server = run(['--max-old-space-size=128', CLI, 'serve', folder(), '--http', '0'])
    const url = await endpoint(server)
    const burst = async (name: string) => {
      const answers = await Promise.all(
        Array.from({ length: MANY }, (_, i) => ask(url, readOf('modern', i, `file:///docs/${name}`)).catch(() => undefined)),
      )
      return answers.filter((answer) => answer?.result !== undefined).length
    }
    // Those that read nothing for two seconds are cut off, which a busy machine may do to some.
    for (const name of ['ascii.txt', 'other.txt', 'bytes.bin']) expect(await burst(name), name).toBeGreaterThan(MANY * 0.9)
    const first = await settled(() => resident(server), 500)
    const open = await settled(() => descriptors(server))
    for (const name of ['ascii.txt', 'other.txt', 'bytes.bin']) expect(await burst(name), name).toBeGreaterThan(MANY * 0.9)
    expect(await settled(() => resident(server), 500)).toBeLessThan(first * 1.5)
    await expect.poll(() => descriptors(server)).toBeLessThanOrEqual(open)
    expect((await ask(url, readOf('modern', 1, 'file:///docs/small.md'))).result).toMatchObject({ contents: [{ text: 'small' }] })
  })
})
