import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { localCall } from '../../library/index.ts'
import { openTemporaryTree, providerCases } from '../../testing/index.ts'
import type { TemporaryTree } from '../../testing/index.ts'
import { files } from './index.ts'

const call = localCall()
const MAX = 5 * 1024 * 1024

const NAMES: readonly (readonly [name: string, segment: string])[] = [
  ['setup guide.md', 'setup%20guide.md'],
  ['caf\u00e9.md', 'caf%C3%A9.md'],
  ['cafe\u0301 nfd.md', 'cafe%CC%81%20nfd.md'],
  ['日本語.txt', '%E6%97%A5%E6%9C%AC%E8%AA%9E.txt'],
  ['😀.txt', '%F0%9F%98%80.txt'],
  ['q1#7 &x=3+y?.md', 'q1%237%20%26x%3D3%2By%3F.md'],
  ['50% off.md', '50%25%20off.md'],
  ['%41.md', '%2541.md'],
  ['%2e%2e', '%252e%252e'],
  ['..%2F', '..%252F'],
  ['-rf', '-rf'],
  [' leading', '%20leading'],
  ['trailing ', 'trailing%20'],
  ['trailing.', 'trailing.'],
  ['...', '...'],
  ['..a', '..a'],
  ['a..b.txt', 'a..b.txt'],
  ['v1..v2', 'v1..v2'],
  ['a:b;c,d.txt', 'a%3Ab%3Bc%2Cd.txt'],
  ['CON', 'CON'],
  ["it's (1)!*~.txt", 'it%27s%20%281%29%21%2A~.txt'],
  ['[x]{y}|^`"<>.txt', '%5Bx%5D%7By%7D%7C%5E%60%22%3C%3E.txt'],
  ['a (deleted)', 'a%20%28deleted%29'],
  ['\u202egnp.md', '%E2%80%AEgnp.md'],
  ['\ufffd.txt', '%EF%BF%BD.txt'],
  ['n'.repeat(250), 'n'.repeat(250)],
]

const ask = (provider: ReturnType<typeof files>, prefix: string, limit = 100) =>
  provider.complete({ template: 'file:///c/{+path}', variable: 'path', prefix, arguments: {}, limit }, call)

describe('files() passes the provider suite', () => {
  let added = 0
  const cases = providerCases(async () => {
    const tree = await openTemporaryTree({
      'readme.md': '# hello',
      'empty.txt': '',
      'a/b/c/deep.json': '{}',
      'a/b.txt': 'b',
      'a.txt': 'a',
      'a-b/x.md': 'x',
      'bin.png': Uint8Array.of(0x89, 0x50, 0, 255),
      'latin.txt': Uint8Array.of(0x63, 0xe9),
      unknown: 'text',
      'big.png': new Uint8Array(300_000).fill(7),
      'odd/50% off #1.md': 'odd',
      'odd/é.md': 'é',
      'none/': '',
    })
    const provider = files({ root: tree.root, name: 'suite' })
    return {
      provider,
      directory: 'file:///suite',
      missing: 'file:///suite/missing.md',
      insert: async () => {
        const name = `a/new-${added++}.md`
        await tree.write(name, 'new')
        return `file:///suite/${name}`
      },
      remove: (uri: string) => rm(join(tree.root, decodeURIComponent(uri.slice('file:///suite/'.length)))),
      dispose: () => tree[Symbol.asyncDispose](),
    }
  })
  it.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    await expect(one.run()).resolves.toBe(undefined)
  })
})

describe('files() on odd names', () => {
  let tree: TemporaryTree
  beforeAll(async () => {
    tree = await openTemporaryTree(Object.fromEntries(NAMES.map(([name]) => [name, `body of ${name}`])))
  })
  afterAll(() => tree[Symbol.asyncDispose]())

  // Some names begin with a dot, so hidden ones are served here.
  it.each(NAMES)('files() lists %j as %s and reads it', async (name, segment) => {
    const provider = files({ root: tree.root, name: 'odd', hidden: true })
    const uri = `file:///odd/${segment}`
    const { items } = await provider.list({ limit: 1_000 }, call)
    expect(items.find((item) => item.uri === uri)).toMatchObject({ uri, name, size: Buffer.byteLength(`body of ${name}`) })
    expect(items.length).toBe(NAMES.length)
    const result = await provider.read({ uri, maxBytes: MAX }, call)
    expect(result).toMatchObject({ contents: [{ uri, text: `body of ${name}` }] })
    const values = (
      await provider.complete({ template: 'file:///odd/{+path}', variable: 'path', prefix: '', arguments: {}, limit: 100 }, call)
    ).values
    expect(values.length).toBe(NAMES.length)
  })

  it('files() leaves out names that no URI of ours may hold, and says how many', async () => {
    const odd = await temporaryTree({ 'ok.txt': '', 'back\\slash.txt': '', 'new\nline.txt': '', 'c1\u009b.txt': '' })
    await writeFile(Buffer.concat([Buffer.from(`${odd.root}/`), Buffer.from([0x62, 0xff, 0x2e, 0x74])]), 'x')
    await writeFile(Buffer.concat([Buffer.from(`${odd.root}/id`), Buffer.from([0xff])]), 'x')
    const provider = files({ root: odd.root, name: 'odd' })
    const page = await provider.list({ limit: 10 }, call)
    expect(page.items.map((item) => item.name)).toEqual(['ok.txt'])
    expect(page.notices?.map((notice) => notice.message)).toEqual([
      'Left out: names that are not valid UTF-8: 2',
      'Left out: names with a backslash or a control character: 3',
    ])
    for (const tail of ['back%5Cslash.txt', 'back\\slash.txt', 'new%0Aline.txt', 'c1%C2%9B.txt', 'b%FF.t', 'b%EF%BF%BD.t']) {
      await expect(provider.read({ uri: `file:///odd/${tail}`, maxBytes: MAX }, call)).rejects.toMatchObject({
        code: 'not-found',
      })
    }
    await symlink(Buffer.concat([Buffer.from(`${odd.root}/id`), Buffer.from([0xff])]), join(odd.root, 'to-bytes'))
    await expect(provider.read({ uri: 'file:///odd/to-bytes', maxBytes: MAX }, call)).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('files() names and roots', () => {
  it('files() names itself and its URIs after the folder', async () => {
    const tree = await temporaryTree({ 'My Docs/a.md': 'x', 'tmp/a.md': 'y', '日本/a.md': 'z' })
    const docs = files(join(tree.root, 'My Docs'))
    expect([docs.name, docs.prefixes]).toEqual(['my-docs', ['file:///My%20Docs']])
    expect((await docs.list({ limit: 9 }, call)).items.map((item) => item.uri)).toEqual(['file:///My%20Docs/a.md'])
    const taken = files(join(tree.root, 'tmp'))
    expect([taken.name, taken.prefixes]).toEqual(['tmp-2', ['file:///tmp-2']])
    const foreign = files(join(tree.root, '日本'))
    expect([foreign.name, foreign.prefixes]).toEqual(['files', ['file:///%E6%97%A5%E6%9C%AC']])
    expect(await docs.templates({ limit: 9 }, call)).toMatchObject({
      items: [{ uriTemplate: 'file:///My%20Docs/{+path}', name: 'My Docs' }],
    })
  })

  it('files() takes a relative root from the working directory', async () => {
    const tree = await temporaryTree({ 'logs/a.txt': 'x' })
    const before = process.cwd()
    let provider
    try {
      process.chdir(tree.root)
      provider = files('./logs')
    } finally {
      process.chdir(before)
    }
    expect(await provider.read({ uri: 'file:///logs/a.txt', maxBytes: MAX }, call)).toMatchObject({ contents: [{ text: 'x' }] })
  })

  it.each(['/', homedir(), '/proc', '/proc/self', '/sys', '/dev', '/sys/kernel'])('files(%j) is refused', (root) => {
    expect(() => files(root)).toThrow(expect.objectContaining({ code: 'invalid-option', details: { option: 'root' } }))
  })

  it('files() refuses a root that is missing, or a file, or reached by a link to a forbidden one', async () => {
    const tree = await temporaryTree({ 'a.md': '' })
    await symlink('/', join(tree.root, 'slash'))
    for (const name of ['nowhere', 'a.md', 'slash']) {
      expect(() => files(join(tree.root, name))).toThrow(
        expect.objectContaining({ code: 'invalid-option', details: { option: 'root' } }),
      )
    }
    expect(files({ root: join(tree.root, 'slash'), anyRoot: true }).prefixes).toEqual(['file:///slash'])
  })

  it.each(['tmp', 'etc', '', '.', '..', 'a/b', 'a\\b', 'a\nb'])('files() refuses the given name %j', async (name) => {
    const tree = await temporaryTree()
    expect(() => files({ root: tree.root, name })).toThrow(
      expect.objectContaining({ code: 'invalid-option', details: { option: 'name' } }),
    )
  })

  it('files() says unavailable for a list when its folder is gone, and not-found for a read', async () => {
    const tree = await openTemporaryTree({ 'a.md': 'x' })
    const provider = files({ root: tree.root, name: 'gone' })
    await tree[Symbol.asyncDispose]()
    await expect(provider.list({ limit: 1 }, call)).rejects.toMatchObject({ code: 'unavailable', details: { provider: 'gone' } })
    await expect(provider.read({ uri: 'file:///gone/a.md', maxBytes: 9 }, call)).rejects.toMatchObject({ code: 'not-found' })
  })
})

describe('files() on folders', () => {
  it('files() lists three levels with size, type and time, and no folders', async () => {
    const tree = await temporaryTree({ 'a/b/c.ts': 'let x', 'a/b.md': '', 'z.png': 'x' })
    await utimes(join(tree.root, 'a/b/c.ts'), 1_700_000_000, 1_700_000_000)
    const provider = files({ root: tree.root, name: 'list' })
    const { items } = await provider.list({ limit: 10 }, call)
    expect(items.map((item) => item.uri)).toEqual(['file:///list/a/b/c.ts', 'file:///list/a/b.md', 'file:///list/z.png'])
    expect(items[0]).toEqual({
      uri: 'file:///list/a/b/c.ts',
      name: 'c.ts',
      mimeType: 'text/typescript',
      size: 5,
      annotations: { lastModified: '2023-11-14T22:13:20.000Z' },
    })
  })

  it('files() gives children in pages, directories as inode/directory without size', async () => {
    const tree = await temporaryTree({
      'a/b/c.ts': '',
      'a/b.md': 'x',
      'empty/': '',
      'node_modules/x/y.js': '',
      '.hid/x': '',
    })
    const provider = files({ root: tree.root, name: 'kids' })
    const root = await provider.children({ uri: 'file:///kids', limit: 1 }, call)
    expect(root).toMatchObject({ items: [{ uri: 'file:///kids/a', name: 'a', mimeType: 'inode/directory' }], next: 'a' })
    expect(root.items[0]?.size).toBe(undefined)
    const rest = await provider.children({ uri: 'file:///kids/', limit: 9, after: 'a' }, call)
    expect(rest.items.map((item) => item.uri)).toEqual(['file:///kids/empty'])
    expect(rest.next).toBe(undefined)
    expect((await provider.children({ uri: 'file:///kids/empty', limit: 9 }, call)).items).toEqual([])
    for (const uri of [
      'file:///kids/a/b.md',
      'file:///kids/a/b.md/',
      'file:///kids/none',
      'file:///kids/.hid',
      'file:///kids//',
    ]) {
      await expect(provider.children({ uri, limit: 9 }, call)).rejects.toMatchObject({ code: 'not-found', details: { uri } })
    }
    expect((await provider.list({ limit: 9 }, call)).items.map((item) => item.name)).toEqual(['c.ts', 'b.md'])
  })

  it('files() reads a directory as the URIs of its children, one a line', async () => {
    const tree = await temporaryTree({ 'a/x y.md': '', 'a/sub/z': '' })
    const provider = files({ root: tree.root, name: 'dir' })
    for (const uri of ['file:///dir/a', 'file:///dir/a/']) {
      expect(await provider.read({ uri, maxBytes: MAX }, call)).toEqual({
        kind: 'contents',
        contents: [{ uri, mimeType: 'inode/directory', text: 'file:///dir/a/sub\nfile:///dir/a/x%20y.md\n' }],
      })
    }
    await mkdir(join(tree.root, 'none'))
    expect(await provider.read({ uri: 'file:///dir/none', maxBytes: MAX }, call)).toMatchObject({ contents: [{ text: '' }] })
    expect(await provider.stat({ uri: 'file:///dir/' }, call)).toMatchObject({
      resource: { uri: 'file:///dir', name: 'dir', mimeType: 'inode/directory' },
    })
  })

  it('files() goes 32 folders deep and says what it left out', async () => {
    const tree = await temporaryTree({ [`${'d/'.repeat(32)}in.md`]: '', [`${'d/'.repeat(33)}out.md`]: '' })
    const page = await files({ root: tree.root, name: 'deep' }).list({ limit: 9 }, call)
    expect(page.items.map((item) => item.name)).toEqual(['in.md'])
    expect(page.notices?.[0]?.message).toBe('Left out: folders more than 32 deep: 1')
  })
})

describe('files() completes', () => {
  it('files() drills down folder by folder', async () => {
    const tree = await temporaryTree({
      'src/a b/x.ts': '',
      'src/a.ts': '',
      'src/q#1.md': '',
      'sr.md': '',
      '.env': '',
      'zé/x': '',
    })
    const provider = files({ root: tree.root, name: 'c' })
    expect(await ask(provider, '')).toEqual({ values: ['sr.md', 'src/', 'zé/'], total: 3, hasMore: false })
    expect((await ask(provider, 'src/')).values).toEqual(['src/a b/', 'src/a.ts', 'src/q%231.md'])
    expect((await ask(provider, 'src/q%23')).values).toEqual(['src/q%231.md'])
    expect((await ask(provider, 'src/q#')).values).toEqual(['src/q%231.md'])
    expect((await ask(provider, 'src/a b/')).values).toEqual(['src/a b/x.ts'])
    expect((await ask(provider, 'src/a%20b/')).values).toEqual(['src/a b/x.ts'])
    expect(await ask(provider, 'src/', 1)).toEqual({ values: ['src/a b/'], total: 3, hasMore: true })
    for (const odd of ['../', '/', '/etc/', 'src/../', 'nowhere/', '.env', 'src/a.ts/', '%', '\0']) {
      expect(await ask(provider, odd)).toEqual({ values: [], total: 0, hasMore: false })
    }
  })

  it('files() completes a concrete URI of its own and nothing else', async () => {
    const tree = await temporaryTree({ 'a.md': '' })
    const provider = files({ root: tree.root, name: 'c' })
    const request = { variable: 'path', prefix: '', arguments: {}, limit: 9 }
    expect((await provider.complete({ ...request, template: 'file:///c/any.md' }, call)).values).toEqual(['a.md'])
    for (const template of ['file:///d/{+path}', 'file:///c/{path}', '']) {
      await expect(provider.complete({ ...request, template }, call)).rejects.toMatchObject({ code: 'not-found' })
    }
    await expect(provider.complete({ ...request, template: 'file:///c/{+path}', variable: 'x' }, call)).rejects.toMatchObject({
      code: 'not-found',
    })
  })

  it('files() never suggests what the caller may not read', async () => {
    const tree = await temporaryTree({ 'a.md': '', 'b.md': '', 'sub/x': '' })
    const provider = files({ root: tree.root, name: 'c' })
    const shy = { ...localCall(), allows: (_: string, uri: string) => uri.endsWith('a.md') }
    expect(
      await provider.complete({ template: 'file:///c/{+path}', variable: 'path', prefix: '', arguments: {}, limit: 9 }, shy),
    ).toEqual({ values: ['a.md'], total: 1, hasMore: false })
  })
})
