import { closeSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { localCall } from '../../library/index.ts'
import { directoryNames } from './directory-names.ts'
import { files } from './index.ts'
import { openBeneath } from './open-beneath.ts'
import { openRoot } from './root.ts'

/** Names of a folder, for a first or for a further page. */
async function names(folder: string, further: boolean) {
  const opened = await openBeneath(openRoot({ root: folder, name: 'r' }), '')
  if (opened === undefined) throw new Error('absent')
  try {
    return await directoryNames(opened, further)
  } finally {
    closeSync(opened.fd)
  }
}

const fill = (folder: string, count: number) => {
  for (let i = 0; i < count; i++) writeFileSync(join(folder, String(i)), '')
}

describe('directoryNames()', () => {
  it('directoryNames() reads a settled folder once', async () => {
    const tree = await temporaryTree({ a: '' })
    await sleep(2_100)
    const first = await names(tree.root, false)
    expect(await names(tree.root, false)).toBe(first)
    expect(await names(tree.root, true)).toBe(first)
    await tree.write('b', '')
    expect((await names(tree.root, false)).length).toBe(2)
  })

  it('directoryNames() reads a folder that just changed again for each first page', async () => {
    const tree = await temporaryTree({ a: '' })
    const first = await names(tree.root, false)
    expect(await names(tree.root, false)).not.toBe(first)
  })

  it(
    'directoryNames() gives further pages of a folder that keeps changing what was read, for a second',
    { retry: 3 },
    async () => {
      const tree = await temporaryTree({ a: '' })
      const first = await names(tree.root, false)
      await tree.write('b', '')
      expect(await names(tree.root, true)).toBe(first)
      await sleep(1_050)
      const later = await names(tree.root, true)
      expect(later.length).toBe(2)
      await tree.write('c', '')
      expect(await names(tree.root, true)).toBe(later)
      // Never for longer than since the last first page: what stood there by then is listed.
      const fresh = await names(tree.root, false)
      expect(fresh.length).toBe(3)
      expect(await names(tree.root, true)).toBe(fresh)
    },
  )

  it('directoryNames() reads a folder once at a time, whoever asks meanwhile', async () => {
    const tree = await temporaryTree()
    fill(tree.root, 4_000)
    const asked = Array.from({ length: 8 }, () => names(tree.root, false))
    // The first to ask is answered from one reading, the others from one that began after they had asked.
    expect(new Set(await Promise.all(asked)).size).toBe(2)
    await sleep(2_100)
    const settled = Array.from({ length: 8 }, () => names(tree.root, false))
    expect(new Set(await Promise.all(settled)).size).toBe(1)
  })

  it('directoryNames() sees what was there before it was asked, though another reading was under way', async () => {
    const tree = await temporaryTree()
    fill(tree.root, 4_000)
    for (let i = 0; i < 20; i++) {
      const earlier = names(tree.root, false)
      await sleep(i % 4)
      writeFileSync(join(tree.root, `new-${i}`), '')
      const later = await names(tree.root, false)
      expect(later.at(later.find(`new-${i}`))?.name).toBe(`new-${i}`)
      await earlier
    }
  })

  it('directoryNames() ends for all who wait when the folder is gone, and for nobody else', async () => {
    const tree = await temporaryTree({ 'other/a': '' })
    const folder = join(tree.root, 'folder')
    mkdirSync(folder)
    const opened = await openBeneath(openRoot({ root: tree.root, name: 'r' }), 'folder')
    if (opened === undefined) throw new Error('absent')
    rmSync(folder, { recursive: true })
    const results = await Promise.allSettled(Array.from({ length: 4 }, () => directoryNames(opened, false)))
    closeSync(opened.fd)
    expect(new Set(results.map((one) => one.status)).size).toBe(1)
    expect((await names(join(tree.root, 'other'), false)).length).toBe(1)
  })
})

describe('files() in a folder that keeps changing', () => {
  it('files() shows nothing that is gone on a further page, and what is new in the next list', { retry: 3 }, async () => {
    const tree = await temporaryTree({ 'a.md': '', 'b.md': '', 'd.md': '', 'e.md': '' })
    const provider = files({ root: tree.root, name: 'r' })
    const call = localCall()
    const listed = async (after?: string) =>
      (await provider.list({ limit: 2, ...(after !== undefined && { after }) }, call)).items.map((item) => item.name)
    expect(await listed()).toEqual(['a.md', 'b.md'])
    await tree.write('c.md', '')
    rmSync(join(tree.root, 'd.md'))
    expect(await listed('b.md')).toEqual(['e.md'])
    expect(await listed()).toEqual(['a.md', 'b.md'])
    expect(await listed('b.md')).toEqual(['c.md', 'e.md'])
  })

  it('files() lists nothing under the rules of what stood there before', { retry: 3 }, async () => {
    const tree = await temporaryTree({ 'a.md': '', 'id_x/in.md': '', 'z.md': '' })
    const provider = files({ root: tree.root, name: 'r' })
    const call = localCall()
    const uri = 'file:///r'
    expect((await provider.children({ uri, limit: 1 }, call)).items.map((item) => item.name)).toEqual(['a.md'])
    rmSync(join(tree.root, 'id_x'), { recursive: true })
    writeFileSync(join(tree.root, 'id_x'), 'CANARY')
    const { items } = await provider.children({ uri, limit: 9, after: 'a.md' }, call)
    expect(items.map((item) => item.name)).toEqual(['z.md'])
  })
})
