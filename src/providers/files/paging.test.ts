import { writeFileSync } from 'node:fs'
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ShelfError } from '../../errors.ts'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { localCall } from '../../library/index.ts'
import type { Position } from '../../library/index.ts'
import { openTemporaryTree } from '../../testing/index.ts'
import type { TemporaryTree } from '../../testing/index.ts'
import { files } from './index.ts'
import type { FilesProvider } from './index.ts'

const call = localCall()

async function all(provider: FilesProvider, limit: number, after?: Position): Promise<readonly string[]> {
  const names: string[] = []
  let next = after
  do {
    const page = await provider.list(next === undefined ? { limit } : { limit, after: next }, call)
    names.push(...page.items.map((item) => decodeURIComponent(item.uri.slice('file:///r/'.length))))
    next = page.next
  } while (next !== undefined)
  return names
}

/** By parts, each by its UTF-16 code units. */
const inOrder = (a: string, b: string) => {
  const [left, right] = [a.split('/'), b.split('/')]
  for (let i = 0; ; i++) {
    const [x, y] = [left[i], right[i]]
    if (x === undefined || y === undefined) return left.length - right.length
    if (x !== y) return x < y ? -1 : 1
  }
}

describe('files() pages 5,000 files', () => {
  let tree: TemporaryTree
  let provider: FilesProvider
  const expected: string[] = []
  beforeAll(async () => {
    tree = await openTemporaryTree()
    for (let folder = 0; folder < 10; folder++) {
      await mkdir(join(tree.root, `d${folder}`, 'sub'), { recursive: true })
      const paths = Array.from({ length: 500 }, (_, i) => `d${folder}/${i % 5 === 0 ? 'sub/' : ''}f${i}.md`)
      expected.push(...paths)
      await Promise.all(paths.map((path) => writeFile(join(tree.root, path), '')))
    }
    // Aged, so that the names of folders may be remembered.
    for (let folder = 0; folder < 10; folder++)
      for (const path of [`d${folder}/sub`, `d${folder}`]) await utimes(join(tree.root, path), 1, 1)
    provider = files({ root: tree.root, name: 'r' })
    expected.sort(inOrder)
  }, 60_000)
  afterAll(() => tree[Symbol.asyncDispose]())

  it.each([400, 999, 5_000, 6_000])('files() gives all of them once and in order by pages of %i', async (limit) => {
    expect(await all(provider, limit)).toEqual(expected)
  })

  it('files() ends with the page that holds the last file', async () => {
    expect((await provider.list({ limit: 5_000 }, call)).next).toBe(undefined)
    expect((await provider.list({ limit: 4_999 }, call)).next).toBe(expected[4_998])
    expect(await all(provider, 10, expected[4_990])).toEqual(expected.slice(4_991))
  })

  it('files() goes on from a position that is gone, was a folder, or never was', async () => {
    expect((await all(provider, 3, 'd3')).length).toBe(3_500)
    expect((await all(provider, 900, 'd3/zzz')).length).toBe(3_000)
    expect((await all(provider, 900, 'd3/f0/was/a/folder')).slice(0, 1)).toEqual(['d3/f1.md'])
    await expect(provider.list({ limit: 1, after: 7 }, call)).rejects.toMatchObject({ code: 'invalid-cursor' })
  })

  const cost = async (after: string) => {
    let best = Number.POSITIVE_INFINITY
    for (let i = 0; i < 8; i++) {
      const begun = performance.now()
      await provider.list({ limit: 50, after }, call)
      best = Math.min(best, performance.now() - begun)
    }
    return best
  }

  it('files() pages as fast at the end as at the beginning', { retry: 3 }, async () => {
    const first = await cost(expected[1] ?? '')
    const deep = await cost(expected[4_900] ?? '')
    expect(deep / first).toBeLessThan(5)
  })

  it('files() stops a long list when the caller gives up', async () => {
    const controller = new AbortController()
    const work = provider.list({ limit: 6_000 }, localCall({ signal: controller.signal }))
    setTimeout(() => controller.abort(), 5)
    await expect(work).rejects.toMatchObject({ code: 'cancelled' })
  })
})

describe('files() in a folder that changes', () => {
  it('files() sees every addition and removal at once', async () => {
    const tree = await temporaryTree({ 'a.md': '' })
    const provider = files({ root: tree.root, name: 'r' })
    for (let i = 0; i < 100; i++) {
      await tree.write(`n${i}.md`, '')
      expect((await all(provider, 1_000)).length).toBe(2)
      await rm(join(tree.root, `n${i}.md`))
      expect(await all(provider, 1_000)).toEqual(['a.md'])
    }
  })

  it('files() lists what stays while folders come and go', async () => {
    const tree = await temporaryTree({ 'a/stays.md': '', 'z/stays.md': '' })
    const provider = files({ root: tree.root, name: 'r' })
    const done = new AbortController()
    const churn = (async () => {
      for (let i = 0; !done.signal.aborted; i++) {
        await tree.write(`m${i % 7}/deep/er/x.md`, 'x')
        await rm(join(tree.root, `m${i % 7}`), { recursive: true })
      }
    })()
    for (let i = 0; i < 300; i++) {
      const names = await all(provider, 1_000)
      expect(names.filter((name) => !name.startsWith('m'))).toEqual(['a/stays.md', 'z/stays.md'])
      const answer = await provider.children({ uri: `file:///r/m${i % 7}/deep`, limit: 9 }, call).then(
        () => 'children',
        (error: unknown) => ShelfError.from(error).code,
      )
      expect(['children', 'not-found']).toContain(answer)
    }
    done.abort()
    await churn
  })

  it('files() sees a change in a folder whose names are remembered', async () => {
    const tree = await temporaryTree({ 'd/a.md': '', 'd/b.md': '' })
    const provider = files({ root: tree.root, name: 'r' })
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    expect(await all(provider, 10)).toEqual(['d/a.md', 'd/b.md'])
    expect(await all(provider, 1)).toEqual(['d/a.md', 'd/b.md'])
    await tree.write('d/aa.md', '')
    expect(await all(provider, 10)).toEqual(['d/a.md', 'd/aa.md', 'd/b.md'])
  })

  it('files() lists any tree as a sorted walk would, at any page size', async () => {
    const name = fc.constantFrom('a', 'a.b', 'a-b', 'A', 'é', 'z', '😀', '\uffee')
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
    await fc.assert(
      fc.asyncProperty(fc.array(path, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (paths, limit) => {
        const tree = await temporaryTree()
        const written = new Set<string>()
        for (const file of paths) {
          await tree.write(file, '').then(
            () => written.add(file),
            () => {},
          )
        }
        expect(await all(files({ root: tree.root, name: 'r' }), limit)).toEqual([...written].toSorted(inOrder))
      }),
      { numRuns: 60 },
    )
  })
})

describe('files() in a folder of very many names', () => {
  const COUNT = 20_000
  let tree: TemporaryTree
  beforeAll(async () => {
    tree = await openTemporaryTree({ 'hidden/zzz.md': '' })
    await mkdir(join(tree.root, 'shown'))
    for (let i = 0; i < COUNT; i++) {
      writeFileSync(join(tree.root, `hidden/.${i}`), '')
      writeFileSync(join(tree.root, `shown/${i}`), '')
    }
    // Settled, so that what takes its time is the passing over, not the reading.
    await new Promise((resolve) => setTimeout(resolve, 2_100))
  }, 60_000)
  afterAll(() => tree[Symbol.asyncDispose]())

  it('files() counts what completes a value no further than it must', async () => {
    const request = { template: 'file:///r/{+path}', variable: 'path', arguments: {}, limit: 3 }
    const provider = files({ root: tree.root, name: 'r' })
    const values = ['shown/0', 'shown/1', 'shown/10']
    expect(await provider.complete({ ...request, prefix: 'shown/' }, call)).toEqual({ values, hasMore: true })
    expect((await provider.complete({ ...request, prefix: 'shown/1999' }, call)).total).toBe(11)
    // What stands behind all that is passed over is found all the same.
    expect(await provider.complete({ ...request, prefix: 'hidden/' }, call)).toEqual({
      values: ['hidden/zzz.md'],
      total: 1,
      hasMore: false,
    })
  })

  it.each(['list', 'children', 'complete'] as const)(
    'files() lets others have their turn while %s passes names over',
    async (how) => {
      const provider = files({ root: join(tree.root, 'hidden'), name: 'r' })
      const ask = (signal: AbortSignal): Promise<unknown> => {
        const own = localCall({ signal })
        if (how === 'list') return provider.list({ limit: 5 }, own)
        if (how === 'children') return provider.children({ uri: 'file:///r', limit: 5 }, own)
        const request = { template: 'file:///r/{+path}', variable: 'path', prefix: '', arguments: {}, limit: 5 }
        return provider.complete(request, own)
      }
      // Settled, so that what is measured is the passing over, not the reading.
      await new Promise((resolve) => setTimeout(resolve, 2_100))
      await ask(new AbortController().signal)
      let turns = 0
      const done = new AbortController()
      const count = async () => {
        for (; !done.signal.aborted; turns++) await new Promise(setImmediate)
      }
      const counting = count()
      await ask(done.signal)
      done.abort()
      await counting
      expect(turns).toBeGreaterThan(9)
      const controller = new AbortController()
      const work = ask(controller.signal)
      setTimeout(() => controller.abort(), 1)
      await expect(work).rejects.toMatchObject({ code: 'cancelled' })
    },
  )
})
