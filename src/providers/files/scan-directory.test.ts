import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { openBeneath } from './open-beneath.ts'
import { openRoot } from './root.ts'
import type { DirectoryNames } from './scan-directory.ts'
import { scanDirectory } from './scan-directory.ts'

async function scanned(folder: string): Promise<DirectoryNames> {
  const opened = await openBeneath(openRoot({ root: folder, name: 'r' }), '')
  if (opened === undefined) throw new Error('absent')
  try {
    return await scanDirectory(opened)
  } finally {
    closeSync(opened.fd)
  }
}

const entriesOf = (names: DirectoryNames) => Array.from({ length: names.length }, (_, i) => names.at(i))

/** A path whose last name is not UTF-8. */
const bytes = (folder: string, ...tail: readonly number[]) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(tail)])

/** Mounts a file system that does not tell what its names stand for; undefined where that cannot be done. */
function mountUntyped(folder: string): string | undefined {
  const image = join(folder, 'image')
  const place = join(folder, 'place')
  writeFileSync(image, '')
  truncateSync(image, 8 * 1024 * 1024)
  mkdirSync(place)
  try {
    execFileSync('mke2fs', ['-q', '-t', 'ext4', '-O', '^filetype,^has_journal', image], { stdio: 'ignore' })
    execFileSync('mount', ['-o', 'loop', image, place], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', [place]))
  return place
}

describe('scanDirectory()', () => {
  it.each([20, 5_000])('scanDirectory() gives %i names in order, with what they stand for', async (count) => {
    const tree = await temporaryTree({ 'm/': '', 'é.md': '', '😀.md': '', '\uffee.md': '' })
    symlinkSync('m', join(tree.root, 'link'))
    execFileSync('mkfifo', [join(tree.root, 'fifo')])
    writeFileSync(join(tree.root, 'back\\slash'), '')
    const plain = Array.from({ length: count }, (_, i) => `file-${String((i * 7_919) % count).padStart(9, '0')}`)
    for (const name of plain) writeFileSync(join(tree.root, name), '')
    const names = await scanned(tree.root)
    expect(entriesOf(names)).toEqual([
      ...plain.toSorted().map((name) => ({ name, kind: 'file' })),
      { name: 'link', kind: 'link' },
      { name: 'm', kind: 'directory' },
      { name: 'é.md', kind: 'file' },
      { name: '😀.md', kind: 'file' },
      { name: '\uffee.md', kind: 'file' },
    ])
    expect([names.undecodable, names.refused, names.tooMany]).toEqual([0, 1, false])
  })

  it('scanDirectory() lets other work have its turn', async () => {
    const tree = await temporaryTree()
    for (let i = 0; i < 20_000; i++) writeFileSync(join(tree.root, String(i)), '')
    let turns = 0
    const counted = new AbortController()
    const count = async () => {
      for (; !counted.signal.aborted; turns++) await nextTurn()
    }
    const counting = count()
    const names = await scanned(tree.root)
    counted.abort()
    await counting
    expect(names.length).toBe(20_000)
    // One at least for each 2,048 of them.
    expect(turns).toBeGreaterThan(9)
  })

  it.skipIf(process.platform !== 'linux')(
    'scanDirectory() asks where a file system does not say what a name stands for',
    async (test) => {
      const tree = await temporaryTree()
      const place = mountUntyped(tree.root)
      if (place === undefined) return test.skip('an image cannot be mounted here')
      rmSync(join(place, 'lost+found'), { recursive: true })
      mkdirSync(join(place, 'd'))
      symlinkSync('é', join(place, 'l'))
      for (const path of [join(place, 'a'), join(place, 'é'), bytes(place, 0x62, 0xff)]) writeFileSync(path, '')
      const names = await scanned(place)
      expect(entriesOf(names)).toEqual([
        { name: 'a', kind: 'file' },
        { name: 'd', kind: 'directory' },
        { name: 'l', kind: 'link' },
        { name: 'é', kind: 'file' },
      ])
      expect(names.undecodable).toBe(1)
    },
  )
})
