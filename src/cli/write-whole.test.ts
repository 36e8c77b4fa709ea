import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { writeWhole } from './write-whole.ts'

const signal = new AbortController().signal

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'shelfmark-whole-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

describe('writeWhole()', () => {
  it('makes a file, and takes the place of one with its permissions', async () => {
    const file = join(folder(), 'a')
    await writeWhole(file, 'one', signal)
    chmodSync(file, 0o640)
    await writeWhole(file, Buffer.from('two'), signal)
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['two', 0o640])
  })

  it('leaves what was there when it cannot write, and nothing beside it', async () => {
    const root = folder()
    const file = join(root, 'a')
    writeFileSync(file, 'one')
    await expect(writeWhole(file, 'two', AbortSignal.abort())).rejects.toThrow()
    await expect(writeWhole(join(root, 'none', 'a'), 'two', signal)).rejects.toThrow(
      `${join(root, 'none', 'a')} cannot be written: its folder is not there`,
    )
    await expect(writeWhole(root, 'two', signal)).rejects.toMatchObject({ code: 'EISDIR' })
    expect([readFileSync(file, 'utf8'), readdirSync(root)]).toEqual(['one', ['a']])
  })

  it.skipIf(process.platform === 'win32')('writes through a link, and to a device', async () => {
    const root = folder()
    writeFileSync(join(root, 'a'), 'one')
    symlinkSync('a', join(root, 'b'))
    await writeWhole(join(root, 'b'), 'two', signal)
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe('two')
    await writeWhole('/dev/null', 'three', signal)
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
    if (existsSync('/dev/full')) await expect(writeWhole('/dev/full', 'four', signal)).rejects.toMatchObject({ code: 'ENOSPC' })
  })
})
