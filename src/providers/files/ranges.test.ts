import { closeSync, utimesSync, writeFileSync } from 'node:fs'
import { appendFile, rename, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { localCall } from '../../library/index.ts'
import type { Reading } from '../../library/index.ts'
import { readRange } from './body.ts'
import { files } from './index.ts'
import { openBeneath } from './open-beneath.ts'
import { openRoot } from './root.ts'

const call = localCall()
const MAX = 5 * 1024 * 1024

/** A file that is open, as it was before what a test does to it. */
async function openedFile(root: string, name: string) {
  const opened = await openBeneath(openRoot({ root, name: 'r' }), name)
  if (opened === undefined) throw new Error('absent')
  onTestFinished(() => closeSync(opened.fd))
  return opened
}

describe('files() reads a range of a file that changes', () => {
  it('files() gives no version to a part of a file that does not hold still', async () => {
    const tree = await temporaryTree({ 'a.bin': Buffer.alloc(100_000) })
    const provider = files({ root: tree.root, name: 'r' })
    let seconds = 1_000_000_000
    let done = false
    const touch = (): void => {
      if (done) return
      utimesSync(join(tree.root, 'a.bin'), seconds, seconds++)
      // In every turn of the event loop, and a read takes more than one.
      setImmediate(touch)
    }
    touch()
    const request = { uri: 'file:///r/a.bin', maxBytes: MAX, range: { offset: 1, length: 99_998 } }
    const reading = (await provider.read(request, call)) as Reading
    done = true
    expect(reading).toMatchObject({ range: { offset: 1, length: 99_998, total: 100_000 } })
    expect(reading).not.toHaveProperty('version')
    expect((await provider.read(request, call)) as Reading).toHaveProperty('version')
  })

  it('files() reads a part again that changed meanwhile, under the version of the change', async () => {
    const tree = await temporaryTree({ 'a.txt': 'abcdefgh' })
    const opened = await openedFile(tree.root, 'a.txt')
    const reading = readRange(opened, 'before', { offset: 2, length: 3 }, 8)
    writeFileSync(join(tree.root, 'a.txt'), 'ABCDEFGHIJ')
    const part = await reading
    expect(part).toMatchObject({ bytes: Buffer.from('CDE'), range: { offset: 2, length: 3, total: 10 } })
    expect(part.version).toMatch(/./)
    expect(part.version).not.toBe('before')
  })

  it.each([
    [{ offset: 2, length: 4 }, 'cd', { offset: 2, length: 2, total: 4 }],
    [{ offset: 6, length: 2 }, '', { offset: 4, length: 0, total: 4 }],
    [{ offset: 0 }, 'abcd', { offset: 0, length: 4, total: 4 }],
  ])('files() says of the range %j what there was of a file that was cut off', async (range, text, given) => {
    const tree = await temporaryTree({ 'a.txt': 'abcdefgh' })
    const opened = await openedFile(tree.root, 'a.txt')
    await truncate(join(tree.root, 'a.txt'), 4)
    const part = await readRange(opened, 'before', range, 8)
    expect(part).toMatchObject({ bytes: Buffer.from(text), range: given })
    expect(part.version).toMatch(/./)
    expect(part.version).not.toBe('before')
  })

  it('files() gives the part that it opened of a file that was replaced, not under the version of the other', async () => {
    const tree = await temporaryTree({ 'a.txt': 'abcdefgh', next: 'ABCDEFGHIJ' })
    const provider = files({ root: tree.root, name: 'r' })
    const opened = await openedFile(tree.root, 'a.txt')
    await rename(join(tree.root, 'next'), join(tree.root, 'a.txt'))
    await sleep(40)
    const part = await readRange(opened, 'before', { offset: 1, length: 3 }, 8)
    expect(part).toMatchObject({ bytes: Buffer.from('bcd'), range: { offset: 1, length: 3, total: 8 } })
    const { version } = await provider.stat({ uri: 'file:///r/a.txt' }, call)
    expect(version).toMatch(/./)
    expect([part.version, 'before']).not.toContain(version)
  })

  it('files() counts what was added to a file into its whole', async () => {
    const tree = await temporaryTree({ 'a.txt': 'abcd' })
    const opened = await openedFile(tree.root, 'a.txt')
    await appendFile(join(tree.root, 'a.txt'), 'efgh')
    expect(await readRange(opened, 'before', { offset: 3, length: 3 }, 8)).toMatchObject({
      bytes: Buffer.from('def'),
      range: { offset: 3, length: 3, total: 8 },
    })
  })

  it('files() gives no version to a directory, whose text depends on more than the directory', async () => {
    const tree = await temporaryTree({ 'sub/a.txt': 'a' })
    const provider = files({ root: tree.root, name: 'r' })
    expect(await provider.stat({ uri: 'file:///r/sub' }, call)).toEqual({
      resource: expect.objectContaining({ uri: 'file:///r/sub', mimeType: 'inode/directory' }) as object,
    })
  })
})
