import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { localCall } from '../../library/index.ts'
import type { Position } from '../../library/index.ts'
import { files } from './index.ts'

/** A path whose last name is not UTF-8. */
const bytes = (folder: string, ...tail: readonly number[]) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(tail)])

describe.skipIf(process.platform !== 'linux')('files() on names that are not UTF-8', () => {
  it('files() leaves them out everywhere, with all that is below them, and counts them once', async () => {
    const tree = await temporaryTree({ 'a.md': '', 'd/b.md': 'b', 'd/c.md': 'c', 'e.md': '' })
    const folder = bytes(tree.root, 0x64, 0xff)
    mkdirSync(folder)
    writeFileSync(Buffer.concat([folder, Buffer.from('/in.md')]), 'CANARY')
    writeFileSync(bytes(tree.root, 0x66, 0xc3), 'CANARY')
    writeFileSync(bytes(join(tree.root, 'd'), 0xe9, 0x2e, 0x6d), 'CANARY')
    const provider = files({ root: tree.root, name: 'r' })
    const call = localCall()
    const told = (page: { readonly notices?: readonly { readonly message: string }[] }) =>
      page.notices?.map((notice) => notice.message.replace('Left out: names that are not valid UTF-8: ', '')) ?? []

    const pages: [string[], string[]][] = []
    for (let after: Position | undefined; ;) {
      const page = await provider.list({ limit: 1, ...(after !== undefined && { after }) }, call)
      pages.push([page.items.map((item) => item.uri), told(page)])
      if (page.next === undefined) break
      after = page.next
    }
    // Those in `d` belong to the page on which `d` begins, though the one before looked ahead into it.
    expect(pages).toEqual([
      [['file:///r/a.md'], ['2']],
      [['file:///r/d/b.md'], ['1']],
      [['file:///r/d/c.md'], []],
      [['file:///r/e.md'], []],
    ])
    expect(told(await provider.list({ limit: 9 }, call))).toEqual(['3'])

    const uri = 'file:///r'
    const first = await provider.children({ uri, limit: 2 }, call)
    expect([first.items.map((item) => item.name), told(first)]).toEqual([['a.md', 'd'], ['2']])
    const second = await provider.children({ uri, limit: 2, after: 'd' }, call)
    expect([second.items.map((item) => item.name), told(second)]).toEqual([['e.md'], []])

    const request = { template: 'file:///r/{+path}', variable: 'path', arguments: {}, limit: 9 }
    expect((await provider.complete({ ...request, prefix: '' }, call)).values).toEqual(['a.md', 'd/', 'e.md'])
    expect((await provider.complete({ ...request, prefix: 'd/' }, call)).values).toEqual(['d/b.md', 'd/c.md'])
    expect((await provider.complete({ ...request, prefix: 'd\ufffd/' }, call)).values).toEqual([])

    for (const tail of [
      'd%FF/in.md',
      'd%EF%BF%BD/in.md',
      'd%C3%BF/in.md',
      'f%C3',
      'f%EF%BF%BD',
      'd/%E9.m',
      'd/%C3%A9.m',
      'd%FF',
    ]) {
      const wanted = { code: 'not-found', message: 'Resource not found' }
      await expect(provider.read({ uri: `file:///r/${tail}`, maxBytes: 9 }, call)).rejects.toMatchObject(wanted)
      await expect(provider.stat({ uri: `file:///r/${tail}` }, call)).rejects.toMatchObject(wanted)
      await expect(provider.children({ uri: `file:///r/${tail}`, limit: 9 }, call)).rejects.toMatchObject(wanted)
    }
  })

  it('files() counts on the last page what stands behind its last file', async () => {
    const tree = await temporaryTree({ 'a.md': '', 'z/': '' })
    writeFileSync(bytes(join(tree.root, 'z'), 0xff), '')
    const page = await files({ root: tree.root, name: 'r' }).list({ limit: 1 }, localCall())
    expect([page.items.length, page.next, page.notices?.[0]?.message]).toEqual([
      1,
      undefined,
      'Left out: names that are not valid UTF-8: 1',
    ])
  })
})
