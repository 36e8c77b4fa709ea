import { closeSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ShelfError } from '../../errors.ts'
import { openTemporaryTree } from '../../testing/index.ts'
import { fileFailure, isAbsence } from './failures.ts'
import { openBeneath } from './open-beneath.ts'
import { isPseudoFileSystem } from './pseudo-file-system.ts'
import { openRoot } from './root.ts'
import { isSettled, versionOf } from './version.ts'

const at = (ns: bigint) => ({ mtimeNs: ns, ctimeNs: ns, size: 1n, ino: 2n }) as Parameters<typeof versionOf>[0]

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: no such thing, open '/home/somebody/a'`), { code })
}

describe('openBeneath()', () => {
  it.each([true, false])('openBeneath() opens what is below the root and nothing else, with /proc: %s', async (procfs) => {
    const tree = await openTemporaryTree({ 'root/a.md': 'a', 'root/in/b.md': 'b', 'out/s.md': 'CANARY' })
    onTestFinished(() => tree[Symbol.asyncDispose]())
    const base = join(tree.root, 'root')
    for (const [name, target] of [
      ['link', 'in'],
      ['out', '../out'],
      ['passwd', '/etc/passwd'],
      ['environ', '/proc/self/environ'],
      ['null', '/dev/null'],
      ['loop', 'loop'],
    ] as const) {
      await symlink(target, join(base, name))
    }
    const root = { ...openRoot({ root: base, name: 'r' }), procfs: procfs && process.platform === 'linux' }
    const place = async (path: string) => {
      const opened = await openBeneath(root, path)
      if (opened !== undefined) closeSync(opened.fd)
      return opened?.path
    }
    expect(await place('')).toBe('')
    expect(await place('a.md')).toBe('a.md')
    expect(await place('in')).toBe('in')
    expect(await place('link/b.md')).toBe('in/b.md')
    for (const path of [
      'out',
      'out/s.md',
      'passwd',
      'environ',
      'null',
      'loop',
      'none',
      'a.md/x',
      '../out/s.md',
      'n'.repeat(300),
    ]) {
      expect(await place(path)).toBe(undefined)
    }
  })

  it('openBeneath() without /proc takes no other spelling of a name', async () => {
    const tree = await openTemporaryTree({ 'readme.md': 'a', 'caf\u00e9': '' })
    onTestFinished(() => tree[Symbol.asyncDispose]())
    // What a file system that overlooks case does by itself.
    await symlink('readme.md', join(tree.root, 'README.md'))
    await symlink('caf\u00e9', join(tree.root, 'cafe\u0301'))
    const root = { ...openRoot({ root: tree.root, name: 'r' }), procfs: false }
    expect(await openBeneath(root, 'README.md')).toBe(undefined)
    expect(await openBeneath(root, 'cafe\u0301')).toBe(undefined)
  })
})

describe('isPseudoFileSystem()', () => {
  it.skipIf(process.platform !== 'linux')('isPseudoFileSystem() knows /proc and /sys from a folder', () => {
    expect(['/proc/self', '/sys', '/tmp'].map((path) => isPseudoFileSystem(path))).toEqual([true, true, false])
  })
})

describe('isAbsence() and fileFailure()', () => {
  it.each(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG', 'ENXIO'])(
    'isAbsence() takes %s for absence',
    (code) => {
      expect(isAbsence(failure(code))).toBe(true)
    },
  )
  it.each([
    ['EMFILE', 'busy'],
    ['ENFILE', 'busy'],
    ['ENOMEM', 'busy'],
    ['EIO', 'unavailable'],
    ['ESTALE', 'unavailable'],
    ['ETIMEDOUT', 'unavailable'],
  ])('fileFailure() makes %s %s, without the path', (code, expected) => {
    expect(isAbsence(failure(code))).toBe(false)
    const error = fileFailure(failure(code), 'docs')
    expect(error.code).toBe(expected)
    expect(error.message).not.toContain('/home')
  })
  it('fileFailure() leaves our own errors and aborts what they are', () => {
    const own = new ShelfError('cancelled', 'Cancelled by the caller', {})
    expect(fileFailure(own, 'docs')).toBe(own)
    expect(fileFailure(AbortSignal.abort().reason, 'docs').code).toBe('cancelled')
    expect(fileFailure(new TypeError('bug'), 'docs').code).toBe('internal')
  })
})

describe('versionOf() and isSettled()', () => {
  const fine = at(1_700_000_000_123_456_789n)
  const coarse = at(1_700_000_000_000_000_000n)

  it('isSettled() waits 20 ms where times are fine, and two seconds where they are whole seconds', () => {
    expect([isSettled(fine, 1_700_000_000_143), isSettled(fine, 1_700_000_000_144)]).toEqual([false, true])
    expect([isSettled(coarse, 1_700_000_002_000), isSettled(coarse, 1_700_000_002_001)]).toEqual([false, true])
  })

  it('isSettled() goes by the time of the change where that of the contents is set to the future', () => {
    const now = 1_700_000_000_200
    const ahead = { ...fine, mtimeNs: 1_800_000_000_000_000_000n }
    expect(isSettled(ahead, now)).toBe(true)
    expect(isSettled(ahead, 1_700_000_000_143)).toBe(false)
    expect(isSettled({ ...ahead, ctimeNs: ahead.mtimeNs }, now)).toBe(false)
  })

  it('versionOf() is the same for the same state once settled, and never before', () => {
    expect(versionOf(fine, 1_800_000_000_000)).toBe(versionOf(fine, 1_900_000_000_000))
    expect(versionOf(fine, 1_700_000_000_124)).not.toBe(versionOf(fine, 1_700_000_000_124))
    expect(versionOf(at(1_700_000_000_123_456_790n), 1_800_000_000_000)).not.toBe(versionOf(fine, 1_800_000_000_000))
  })
})
