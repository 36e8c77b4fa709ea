import { execFileSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { decodeFile, readSmallFile } from './read-text-file.ts'

describe('readSmallFile()', () => {
  it('gives the bytes, and undefined for what is not there', async () => {
    const { root } = await temporaryTree({ 'a.json': '{}' })
    expect(await readSmallFile(join(root, 'a.json'))).toEqual(new TextEncoder().encode('{}'))
    expect(await readSmallFile(join(root, 'b.json'))).toBeUndefined()
    expect(await readSmallFile(join(root, 'a.json/c.json'))).toBeUndefined()
  })

  it('refuses what is larger than its limit', async () => {
    const { root } = await temporaryTree({ 'a.json': '12345' })
    await expect(readSmallFile(join(root, 'a.json'), 4)).rejects.toMatchObject({
      code: 'too-large',
      details: { size: 5, limit: 4 },
    })
  })

  it.skipIf(process.platform === 'win32')('does not wait for a pipe, and reads no device', async () => {
    const { root } = await temporaryTree({})
    execFileSync('mkfifo', [join(root, 'pipe')])
    symlinkSync('/dev/zero', join(root, 'zero'))
    await expect(readSmallFile(join(root, 'pipe'))).rejects.toThrow('cannot be read: it is no regular file')
    await expect(readSmallFile(join(root, 'zero'))).rejects.toThrow('cannot be read: it is no regular file')
    await expect(readSmallFile(root)).rejects.toThrow('cannot be read')
  })
})

describe('decodeFile()', () => {
  it('leaves byte order marks out', async () => {
    const utf16 = Buffer.from('\ufeff{"a": "é"}', 'utf16le')
    expect(decodeFile(Buffer.from('\ufeff{}'), 'x')).toBe('{}')
    expect(decodeFile(utf16, 'x')).toBe('{"a": "é"}')
    expect(decodeFile(Buffer.from(utf16).swap16(), 'x')).toBe('{"a": "é"}')
  })

  it('refuses bytes that are no text', () => {
    expect(() => decodeFile(Uint8Array.of(0x7b, 0xff, 0x7d), 'x.json')).toThrow('x.json is not valid UTF-8')
  })

  it('reads a file of 5 MB', async () => {
    const { root } = await temporaryTree({})
    writeFileSync(join(root, 'big'), 'x'.repeat(5_000_000))
    expect((await readSmallFile(join(root, 'big')))?.length).toBe(5_000_000)
  })
})
