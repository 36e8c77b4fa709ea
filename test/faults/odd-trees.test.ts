import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, linkSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { localCall } from '../../src/library/index.ts'
import type { Position } from '../../src/library/index.ts'
import { files } from '../../src/providers/files/index.ts'
import type { FilesProvider } from '../../src/providers/files/index.ts'
import { temporaryTree } from '../temporary-tree.ts'

const call = localCall()
const serve = (root: string) => files({ root, name: 'docs' })
const uri = (path: string) => `file:///docs${path === '' ? '' : `/${path}`}`

async function walk(provider: FilesProvider, limit: number) {
  const paths: string[] = []
  const notices: string[] = []
  let after: Position | undefined
  do {
    const page = await provider.list({ limit, ...(after !== undefined && { after }) }, call)
    paths.push(...page.items.map((item) => decodeURIComponent(item.uri.slice('file:///docs/'.length))))
    notices.push(...(page.notices ?? []).map((notice) => notice.message))
    after = page.next
  } while (after !== undefined)
  return { paths, notices }
}

async function textOf(provider: FilesProvider, path: string): Promise<string | undefined> {
  const result = await provider.read({ uri: uri(path), maxBytes: 1_000 }, call)
  const [contents] = result.kind === 'contents' ? result.contents : []
  return contents !== undefined && 'text' in contents ? contents.text : undefined
}

/** Runs a program in a folder, which may use `fs`. */
function inFolder(folder: string, program: string): void {
  execFileSync(process.execPath, ['-e', `const fs = require('node:fs')\n${program}`], { cwd: folder })
}

/** Mounts something for the test; false where that cannot be done. */
function mount(args: readonly string[], place: string): boolean {
  try {
    execFileSync('mount', [...args, place], { stdio: 'ignore' })
  } catch {
    return false
  }
  onTestFinished(() => void execFileSync('umount', [place]))
  return true
}

describe.skipIf(process.platform === 'win32')('files() in odd trees', () => {
  it('files() ends in a chain of 5,000 folders, and reads as far down as a URI goes', async () => {
    const tree = await temporaryTree({ 'a.md': 'a', 'z.md': 'z' })
    // No path that long can be removed by its name; `rm` goes down step by step.
    onTestFinished(() => void execFileSync('rm', ['-rf', join(tree.root, 'd')]))
    inFolder(
      tree.root,
      `for (let i = 1; i <= 5000; i++) {
        fs.mkdirSync('d')
        process.chdir('d')
        if (i === 32 || i === 33 || i === 1000 || i === 5000) fs.writeFileSync('at-' + i + '.md', String(i))
      }`,
    )
    const provider = serve(tree.root)
    const down = (count: number) => Array.from({ length: count }, () => 'd').join('/')
    expect(await walk(provider, 2)).toEqual({
      paths: ['a.md', `${down(32)}/at-32.md`, 'z.md'],
      notices: ['Left out: folders more than 32 deep: 1'],
    })
    expect(await textOf(provider, `${down(1_000)}/at-1000.md`)).toBe('1000')
    const children = await provider.children({ uri: uri(down(1_000)), limit: 9 }, call)
    expect(children.items.map((item) => item.name)).toEqual(['at-1000.md', 'd'])
    const { values } = await provider.complete(
      { template: 'file:///docs/{+path}', variable: 'path', prefix: `${down(1_000)}/`, arguments: {}, limit: 9 },
      call,
    )
    expect(values).toEqual([`${down(1_000)}/at-1000.md`, `${down(1_001)}/`])
    for (const path of [`${down(1_020)}/x.md`, `${down(2_500)}/x.md`, down(5_000)]) {
      await expect(provider.read({ uri: uri(path), maxBytes: 9 }, call)).rejects.toMatchObject({ code: 'not-found' })
    }
  })

  it('files() lists and reads names of 255 bytes, and no URI of more than 2,048', async () => {
    const plain = 'n'.repeat(252) + '.md'
    const wide = '\u65e5'.repeat(84) + '.md'
    const folder = '\u65e5'.repeat(85)
    const tree = await temporaryTree({
      [plain]: 'plain',
      [wide]: 'wide',
      [`${folder}/${wide}`]: 'twice',
      [`${folder}/${folder}/${wide}`]: 'too long',
    })
    const provider = serve(tree.root)
    // Each of these characters is nine bytes of a URI: three such names are too much for one.
    expect((await walk(provider, 1)).paths).toEqual([plain, wide, `${folder}/${wide}`])
    for (const [path, text] of [
      [plain, 'plain'],
      [wide, 'wide'],
      [`${folder}/${wide}`, 'twice'],
    ] as const) {
      expect(await textOf(provider, encodeURI(path))).toBe(text)
    }
    await expect(textOf(provider, encodeURI(`${folder}/${folder}/${wide}`))).rejects.toMatchObject({ code: 'not-found' })
  })

  it('files() goes in no circle, and reads through links as often as the system does', async () => {
    const tree = await temporaryTree({ 'a/one.md': 'one', 'b/two.md': 'two' })
    for (const [link, target] of [
      ['a/up', '..'],
      ['a/self', '.'],
      ['a/to-b', '../b'],
      ['b/to-a', '../a'],
      ['b/pair-1', 'pair-2'],
      ['b/pair-2', 'pair-1'],
    ] as const) {
      symlinkSync(target, join(tree.root, link))
    }
    const provider = serve(tree.root)
    expect(await walk(provider, 1)).toEqual({ paths: ['a/one.md', 'b/two.md'], notices: [] })
    expect(await textOf(provider, 'a/to-b/to-a/to-b/two.md')).toBe('two')
    expect(await textOf(provider, `${'a/up/'.repeat(20)}a/one.md`)).toBe('one')
    for (const path of [`${'a/up/'.repeat(60)}a/one.md`, 'b/pair-1', 'b/pair-2/x']) {
      await expect(textOf(provider, path)).rejects.toMatchObject({ code: 'not-found' })
    }
  })

  it('files() lists regular files among FIFOs, sockets and devices, hard links among them', async () => {
    const tree = await temporaryTree({ 'a.md': 'a' })
    linkSync(join(tree.root, 'a.md'), join(tree.root, 'b.md'))
    execFileSync('mkfifo', [join(tree.root, 'fifo.md')])
    const socket = createServer()
    await new Promise<void>((resolve) => socket.listen(join(tree.root, 'socket.md'), resolve))
    onTestFinished(() => void socket.close())
    try {
      for (const [name, minor] of [
        ['zero.md', '5'],
        ['full.md', '7'],
      ] as const) {
        execFileSync('mknod', [join(tree.root, name), 'c', '1', minor], { stdio: 'ignore' })
      }
    } catch {
      // Making devices takes the rights of root.
    }
    const provider = serve(tree.root)
    expect(await walk(provider, 1)).toEqual({ paths: ['a.md', 'b.md'], notices: [] })
    expect((await provider.children({ uri: uri(''), limit: 9 }, call)).items.map((item) => item.name)).toEqual(['a.md', 'b.md'])
    for (const path of ['fifo.md', 'socket.md', 'zero.md', 'full.md']) {
      await expect(textOf(provider, path)).rejects.toMatchObject({ code: 'not-found' })
    }
    expect(await textOf(provider, 'b.md')).toBe('a')
  })

  it('files() ends where a folder is mounted below itself', async (test) => {
    const tree = await temporaryTree({ 'root/a.md': 'a', 'root/sub/b.md': 'b', 'root/sub/loop/': '' })
    const root = join(tree.root, 'root')
    if (!mount(['--bind', root], join(root, 'sub/loop'))) return test.skip('nothing can be mounted here')
    const provider = serve(root)
    expect((await walk(provider, 1)).paths).toEqual(['a.md', 'sub/b.md', 'sub/loop/a.md', 'sub/loop/sub/b.md'])
    expect(await textOf(provider, 'sub/loop/sub/b.md')).toBe('b')
  })

  it('files() serves another file system that is mounted below its root', async (test) => {
    const tree = await temporaryTree({ 'root/a.md': 'a', 'root/other/hidden-below.md': '' })
    const root = join(tree.root, 'root')
    if (!mount(['-t', 'tmpfs', 'tmpfs'], join(root, 'other'))) return test.skip('nothing can be mounted here')
    writeFileSync(join(root, 'other/b.md'), 'b')
    mkdirSync(join(root, 'other/sub'))
    const provider = serve(root)
    expect((await walk(provider, 1)).paths).toEqual(['a.md', 'other/b.md'])
    expect(await textOf(provider, 'other/b.md')).toBe('b')
  })

  it('files() serves nothing that is mounted below its root with sameDevice', async (test) => {
    const tree = await temporaryTree({ 'root/a.md': 'a', 'root/other/hidden-below.md': '', 'root/file.md': '' })
    const root = join(tree.root, 'root')
    if (!mount(['-t', 'tmpfs', 'tmpfs'], join(root, 'other'))) return test.skip('nothing can be mounted here')
    writeFileSync(join(root, 'other/b.md'), 'b')
    mount(['--bind', join(root, 'other/b.md')], join(root, 'file.md'))
    const provider = files({ root, name: 'docs', sameDevice: true })
    expect((await walk(provider, 1)).paths).toEqual(['a.md'])
    for (const path of ['other/b.md', 'other', 'file.md']) {
      await expect(provider.stat({ uri: uri(path) }, call)).rejects.toMatchObject({ code: 'not-found' })
    }
    const { items } = await provider.children({ uri: uri(''), limit: 9 }, call)
    expect(items.map(({ name }) => name)).toEqual(['a.md'])
  })
})

/** Where a million names are made in seconds. */
const SHARED_MEMORY = '/dev/shm'

describe.skipIf(process.platform !== 'linux' || !existsSync(SHARED_MEMORY))('files() in a folder of a million entries', () => {
  it('files() pages through it in order and in little memory', { timeout: 180_000 }, async () => {
    const root = mkdtempSync(join(SHARED_MEMORY, 'shelfmark-'))
    onTestFinished(() => void execFileSync('rm', ['-rf', root]))
    // Names of one file: a million files would take a gigabyte of the memory that this folder is in.
    inFolder(root, `fs.writeFileSync('f-0', ''); for (let i = 1; i < 1e6; i++) fs.linkSync('f-0', 'f-' + i)`)
    const provider = files({ root, name: 'docs', anyRoot: true })
    const before = process.memoryUsage().rss
    let after: Position | undefined
    const names: string[] = []
    for (let page = 0; page < 5; page++) {
      const { items, next } = await provider.list({ limit: 4_000, ...(after !== undefined && { after }) }, call)
      names.push(...items.map((item) => item.name))
      after = next
    }
    // The names alone take 17 MB as they are kept, and a hundred as strings.
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
    const all = Array.from({ length: 1e6 }, (_, i) => `f-${i}`).toSorted()
    expect(names).toEqual(all.slice(0, 20_000))
    expect(await textOf(provider, 'f-999999')).toBe('')
  })
})

/** Adds, replaces, renames and removes files beside those that stay, as fast as it can. */
const CHURN = `
const fs = require('node:fs')
for (let i = 0; ; i++) {
  if (i === 100) process.send('ready')
  const name = 'churn-' + (i * 7919) % 1000 + '.md'
  fs.writeFileSync(name, '')
  fs.writeFileSync('next', '')
  fs.renameSync('next', name)
  fs.renameSync(name, 'moved-' + i % 100 + '.md')
  fs.writeFileSync('f-' + i % 500 + '-new', '')
  if (i % 3 === 0) fs.rmSync('f-' + (i * 31) % 500 + '-new', { force: true })
  fs.writeFileSync('next', '')
  fs.renameSync('next', 'replaced.md')
}`

describe.skipIf(process.platform !== 'linux')('files() while 100,000 files change', () => {
  it.for(['the disk', 'tmpfs'])(
    'files() lists what stands there throughout once and in order, on %s',
    { timeout: 90_000 },
    async (where, test) => {
      const tree = await temporaryTree({ 'root/': '' })
      const root = join(tree.root, 'root')
      if (where === 'tmpfs' && !mount(['-t', 'tmpfs', 'tmpfs'], root)) return test.skip('nothing can be mounted here')
      inFolder(root, `for (let i = 0; i < 100000; i++) fs.closeSync(fs.openSync('f-' + i + '.md', 'w'))`)
      const churn = spawn(process.execPath, ['-e', CHURN], { cwd: root, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
      const ended = once(churn, 'exit')
      try {
        await once(churn, 'message')
        const provider = serve(root)
        for (const limit of [1_000, 4_000]) {
          const { paths } = await walk(provider, limit)
          expect(paths.findIndex((path, i) => i > 0 && path <= (paths[i - 1] as string))).toBe(-1)
          const standing = new Set(Array.from({ length: 100_000 }, (_, i) => `f-${i}.md`))
          for (const path of paths) standing.delete(path)
          expect([...standing]).toEqual([])
          // Others were there for some of the time.
          expect(paths.length).toBeGreaterThan(100_000)
        }
      } finally {
        churn.kill('SIGKILL')
        await ended
      }
    },
  )
})
