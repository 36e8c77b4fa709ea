import { execFileSync } from 'node:child_process'
import { closeSync, existsSync } from 'node:fs'
import { appendFile, chmod, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { localCall } from '../../library/index.ts'
import type { ByteSource, Contents, Reading } from '../../library/index.ts'
import { readBody } from './body.ts'
import { files } from './index.ts'
import type { FilesProvider } from './index.ts'
import { openBeneath } from './open-beneath.ts'
import { openRoot } from './root.ts'

const call = localCall()
const MAX = 5 * 1024 * 1024
const DIST = join(process.cwd(), 'dist')
/** A new process needs JavaScript. */
const BUILT = existsSync(join(DIST, 'providers/files/index.js'))

/** Arguments to run a script that has `provider` over `root`. */
function inNewProcess(root: string, script: string): readonly string[] {
  const imports = `
    import { closeSync, openSync } from 'node:fs'
    import { files } from ${JSON.stringify(join(DIST, 'providers/files/index.js'))}
    import { localCall } from ${JSON.stringify(join(DIST, 'library/index.js'))}
    const provider = files({ root: ${JSON.stringify(root)}, name: 'r' })`
  return ['--input-type=module', '-e', `${imports}\n${script}`]
}

async function descriptors(): Promise<number> {
  return process.platform === 'linux' ? (await readdir('/proc/self/fd')).length : 0
}

async function contentsOf(provider: FilesProvider, path: string, maxBytes = MAX): Promise<Contents> {
  const result = await provider.read({ uri: `file:///r/${path}`, maxBytes }, call)
  const [contents] = (result as Reading).contents
  if (contents === undefined) throw new Error('no contents')
  return contents
}

describe('files() tells text from bytes', () => {
  it.each<[string, string | Uint8Array, object]>([
    ['empty.txt', '', { mimeType: 'text/plain', text: '' }],
    ['empty', '', { mimeType: 'text/plain', text: '' }],
    ['empty.png', '', { mimeType: 'image/png', text: '' }],
    ['quotes.md', '\u201cq\u201d \u2014 日本 😀', { mimeType: 'text/markdown', text: '\u201cq\u201d \u2014 日本 😀' }],
    ['bom.txt', '\ufeffa', { mimeType: 'text/plain', text: '\ufeffa' }],
    ['utf16.txt', Uint8Array.of(0xff, 0xfe, 0x61, 0), { mimeType: 'text/plain; charset=utf-16le', text: '\ufeffa' }],
    ['utf16be', Uint8Array.of(0xfe, 0xff, 0, 0x61), { mimeType: 'text/plain; charset=utf-16be', text: '\ufeffa' }],
    ['latin.txt', Uint8Array.of(0x63, 0xe9), { mimeType: 'application/octet-stream', bytes: Buffer.of(0x63, 0xe9) }],
    ['nul.json', Uint8Array.of(0x7b, 0), { mimeType: 'application/octet-stream', bytes: Buffer.of(0x7b, 0) }],
    ['unknown', Uint8Array.of(1, 255), { mimeType: 'application/octet-stream', bytes: Buffer.of(1, 255) }],
    ['script', '#!/bin/sh', { mimeType: 'text/plain', text: '#!/bin/sh' }],
    ['text.png', 'not an image', { mimeType: 'application/octet-stream', bytes: Buffer.from('not an image') }],
    ['pic', Uint8Array.of(0xff, 0xd8, 0xff, 0), { mimeType: 'image/jpeg', bytes: Buffer.of(0xff, 0xd8, 0xff, 0) }],
    ['pic.svg', '<svg/>', { mimeType: 'image/svg+xml', text: '<svg/>' }],
  ])('files() reads %s', async (name, body, expected) => {
    const tree = await temporaryTree({ [name]: body })
    expect(await contentsOf(files({ root: tree.root, name: 'r' }), name)).toEqual({ uri: `file:///r/${name}`, ...expected })
  })

  it('files() carries every byte there is', async () => {
    const all = Uint8Array.from({ length: 256 }, (_, i) => i)
    const tree = await temporaryTree({ all })
    expect(await contentsOf(files({ root: tree.root, name: 'r' }), 'all')).toMatchObject({ bytes: Buffer.from(all) })
  })

  it.skipIf(!BUILT)('files() does not depend on the locale', async () => {
    const tree = await temporaryTree({ 'a.md': '“é” — 日😀' })
    const script = `const r = await provider.read({ uri: 'file:///r/a.md', maxBytes: 99 }, localCall())
      process.stdout.write(JSON.stringify(r.contents[0].text))`
    const env = { ...process.env, LC_ALL: 'C', LANG: 'C' }
    expect(JSON.parse(execFileSync(process.execPath, inNewProcess(tree.root, script), { env }).toString())).toBe('“é” — 日😀')
  })
})

describe('files() keeps to limits', () => {
  it('files() refuses a file of 1 TB before reading it', async () => {
    const tree = await temporaryTree({ 'a.txt': '', 'a.bin': '' })
    for (const name of ['a.txt', 'a.bin']) {
      await truncate(join(tree.root, name), 2 ** 40)
      await expect(contentsOf(files({ root: tree.root, name: 'r' }), name)).rejects.toMatchObject({
        code: 'too-large',
        details: { size: 2 ** 40, limit: MAX },
      })
    }
    const part = await files({ root: tree.root, name: 'r' }).read(
      { uri: 'file:///r/a.bin', maxBytes: 10, range: { offset: 2 ** 39, length: 3 } },
      call,
    )
    expect(part).toMatchObject({ contents: [{ bytes: Buffer.alloc(3) }], range: { offset: 2 ** 39, length: 3, total: 2 ** 40 } })
  })

  it.each([
    [{ offset: 0 }, 'héllo', { offset: 0, length: 6, total: 6 }],
    [{ offset: 2, length: 3 }, null, { offset: 2, length: 3, total: 6 }],
    [{ offset: 6, length: 1 }, '', { offset: 6, length: 0, total: 6 }],
    [{ offset: 99 }, '', { offset: 6, length: 0, total: 6 }],
    [{ offset: 4, length: 99 }, 'lo', { offset: 4, length: 2, total: 6 }],
  ])('files() reads the range %j', async (range, text, expected) => {
    const tree = await temporaryTree({ 'a.txt': 'héllo' })
    const result = await files({ root: tree.root, name: 'r' }).read({ uri: 'file:///r/a.txt', maxBytes: 6, range }, call)
    const bytes = text === null ? Buffer.from([0xa9, 0x6c, 0x6c]) : Buffer.from(text)
    expect(result).toMatchObject({
      kind: 'contents',
      range: expected,
      contents: [{ uri: 'file:///r/a.txt', mimeType: 'text/plain', bytes }],
    })
  })

  it('files() refuses a range over the limit', async () => {
    const tree = await temporaryTree({ 'a.txt': 'hello' })
    const work = files({ root: tree.root, name: 'r' }).read({ uri: 'file:///r/a.txt', maxBytes: 3, range: { offset: 1 } }, call)
    await expect(work).rejects.toMatchObject({ code: 'too-large', details: { size: 4, limit: 3 } })
  })

  it.skipIf(process.platform !== 'linux' || !BUILT)('files() says busy when no descriptor is left, and recovers', async () => {
    const tree = await temporaryTree({ 'a.txt': 'hello' })
    const script = `
      const read = () => provider.read({ uri: 'file:///r/a.txt', maxBytes: 99 }, localCall()).then((r) => r.contents[0].text, (e) => e.code + ' ' + e.message)
      await read()
      const held = []
      try { for (;;) held.push(openSync('/dev/null')) } catch {}
      const busy = await read()
      const list = await provider.list({ limit: 3 }, localCall()).catch((e) => e.code)
      for (const fd of held) closeSync(fd)
      process.stdout.write(JSON.stringify([busy, list, await read()]))`
    const out = execFileSync('prlimit', ['--nofile=256', process.execPath, ...inNewProcess(tree.root, script)]).toString()
    expect(JSON.parse(out)).toEqual(['busy Too many files are open at once; try again', 'busy', 'hello'])
  })
})

describe('files() and rights', () => {
  it.skipIf(process.getuid?.() !== 0 || !BUILT)('files() neither lists nor reads what its process may not read', async () => {
    const tree = await temporaryTree({ 'ok.md': 'ok', 'shut.md': 'CANARY', 'shut/a.md': 'CANARY', 'group.md': 'CANARY' })
    await Promise.all([chmod(tree.root, 0o755), chmod(join(tree.root, 'shut.md'), 0), chmod(join(tree.root, 'shut'), 0o700)])
    await chmod(join(tree.root, 'group.md'), 0o640)
    const script = `
      const { items } = await provider.list({ limit: 9 }, localCall())
      const read = (path) => provider.read({ uri: 'file:///r/' + path, maxBytes: 99 }, localCall()).then(() => 'read', (e) => e.code)
      const all = await Promise.all(['ok.md', 'shut.md', 'shut/a.md', 'shut', 'group.md'].map(read))
      process.stdout.write(JSON.stringify([items.map((item) => item.name), all]))`
    // Of a user who may read nothing but what all may.
    const out = execFileSync(process.execPath, inNewProcess(tree.root, script), { uid: 65_534, gid: 65_534, cwd: '/' }).toString()
    expect(JSON.parse(out)).toEqual([['ok.md'], ['read', 'not-found', 'not-found', 'not-found', 'not-found']])
  })
})

describe('files() streams large binary files', () => {
  it('files() gives the bytes, any range of them, and closes the file when disposed', async () => {
    const body = Buffer.from(Uint8Array.from({ length: 700_000 }, (_, i) => i % 251))
    const tree = await temporaryTree({ 'a.zip': body })
    const provider = files({ root: tree.root, name: 'r' })
    const before = await descriptors()
    const reading = (await provider.read({ uri: 'file:///r/a.zip', maxBytes: MAX }, call)) as Reading
    const source = (reading.contents[0] as { bytes: ByteSource }).bytes
    expect([source.size, await descriptors()]).toEqual([700_000, before + (process.platform === 'linux' ? 1 : 0)])
    const collect = async (range?: { offset: number; length?: number }) => {
      const pieces = []
      for await (const piece of source.open(range)) pieces.push(piece)
      return Buffer.concat(pieces)
    }
    expect((await collect()).equals(body)).toBe(true)
    expect((await collect({ offset: 199_999, length: 200_001 })).equals(body.subarray(199_999, 400_000))).toBe(true)
    expect((await collect({ offset: 700_000 })).length).toBe(0)
    const underWay = source.open()[Symbol.asyncIterator]()
    await Promise.all([underWay.next(), reading[Symbol.asyncDispose]?.()])
    await reading[Symbol.asyncDispose]?.()
    await expect(underWay.next()).rejects.toMatchObject({ code: 'cancelled' })
    expect(await descriptors()).toBe(before)
  })

  it('files() breaks off a stream whose file became shorter', async () => {
    const tree = await temporaryTree({ 'a.zip': new Uint8Array(400_000) })
    const reading = (await files({ root: tree.root, name: 'r' }).read({ uri: 'file:///r/a.zip', maxBytes: MAX }, call)) as Reading
    await truncate(join(tree.root, 'a.zip'), 10)
    const { bytes } = reading.contents[0] as { bytes: ByteSource }
    await expect(async () => {
      for await (const _ of bytes.open());
    }).rejects.toMatchObject({ code: 'unavailable' })
    await reading[Symbol.asyncDispose]?.()
  })
})

describe('files() and files that change', () => {
  it('files() says unchanged until the file changes', async () => {
    const tree = await temporaryTree({ 'a.txt': 'one' })
    const provider = files({ root: tree.root, name: 'r' })
    const uri = 'file:///r/a.txt'
    await sleep(40)
    const { version } = (await provider.read({ uri, maxBytes: 9 }, call)) as Reading
    expect((await provider.stat({ uri }, call)).version).toBe(version)
    expect(await provider.read({ uri, maxBytes: 9, ifVersion: String(version) }, call)).toEqual({ kind: 'unchanged', version })
    await writeFile(join(tree.root, 'a.txt'), 'two')
    const second = (await provider.read({ uri, maxBytes: 9, ifVersion: String(version) }, call)) as Reading
    expect(second).toMatchObject({ kind: 'contents', contents: [{ text: 'two' }] })
    await writeFile(join(tree.root, 'b.txt'), 'six')
    await rename(join(tree.root, 'b.txt'), join(tree.root, 'a.txt'))
    expect(await provider.read({ uri, maxBytes: 9, ifVersion: String(second.version) }, call)).toMatchObject({
      contents: [{ text: 'six' }],
    })
  })

  it('files() never takes two writes in one instant for one', async () => {
    const tree = await temporaryTree({ 'a.txt': '0000' })
    const provider = files({ root: tree.root, name: 'r' })
    const uri = 'file:///r/a.txt'
    for (let i = 0; i < 300; i++) {
      const { version } = (await provider.read({ uri, maxBytes: 9 }, call)) as Reading
      const text = String(i).padStart(4, '0')
      await writeFile(join(tree.root, 'a.txt'), text)
      expect(await provider.read({ uri, maxBytes: 9, ifVersion: String(version) }, call)).toMatchObject({ contents: [{ text }] })
    }
  })

  it('files() stops at the limit when a file grows while it is read', async () => {
    const tree = await temporaryTree({ 'log.txt': 'x'.repeat(1_000) })
    const root = openRoot({ root: tree.root, name: 'r' })
    const opened = await openBeneath(root, 'log.txt')
    if (opened === undefined) throw new Error('absent')
    await appendFile(join(tree.root, 'log.txt'), 'y'.repeat(10_000))
    // No more is read than shows that it is too much.
    await expect(readBody(opened, 'v', 5_000)).rejects.toMatchObject({
      code: 'too-large',
      details: { size: 5_001, limit: 5_000 },
    })
    const body = await readBody(opened, 'v', 50_000)
    expect(body.bytes.toString()).toBe('x'.repeat(1_000) + 'y'.repeat(10_000))
    await truncate(join(tree.root, 'log.txt'), 10)
    expect((await readBody(opened, 'v', 50_000)).bytes.toString()).toBe('x'.repeat(10))
    await rm(join(tree.root, 'log.txt'))
    expect((await readBody(opened, 'v', 50_000)).bytes.toString()).toBe('x'.repeat(10))
    closeSync(opened.fd)
  })

  it('files() gives the old or the new body of a file that is replaced, never a mixture', async () => {
    const [old, young] = ['o'.repeat(200_000), 'n'.repeat(150_000)]
    const tree = await temporaryTree({ 'a.txt': old })
    const provider = files({ root: tree.root, name: 'r' })
    const done = new AbortController()
    const writer = (async () => {
      for (let i = 0; !done.signal.aborted; i++) {
        await writeFile(join(tree.root, 'next'), i % 2 === 0 ? young : old)
        await rename(join(tree.root, 'next'), join(tree.root, 'a.txt'))
      }
    })()
    for (let i = 0; i < 200; i++) {
      const contents = await contentsOf(provider, 'a.txt')
      const text = 'text' in contents ? contents.text : ''
      expect(text === old || text === young).toBe(true)
    }
    done.abort()
    await writer
  })
})
