import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { localCall } from '../../library/index.ts'
import { createIgnoreRules } from './ignore-rules.ts'
import { files } from './index.ts'
import { openRoot } from './root.ts'

const call = localCall()
const ENV = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, env: ENV, stdio: ['ignore', 'pipe', 'ignore'] }).toString()
const hasGit = (() => {
  try {
    return git('/', '--version') !== ''
  } catch {
    return false
  }
})()

async function listed(root: string): Promise<readonly string[]> {
  const provider = files({ root, name: 'r', hidden: true })
  const { items } = await provider.list({ limit: 10_000 }, call)
  return items.map((item) => decodeURIComponent(item.uri.slice('file:///r/'.length))).toSorted()
}

async function readable(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const provider = files({ root, name: 'r', hidden: true })
  const found = []
  for (const path of paths) {
    const uri = `file:///r/${path.split('/').map(encodeURIComponent).join('/')}`
    if ((await provider.read({ uri, maxBytes: 100_000 }, call).catch(() => undefined)) !== undefined) found.push(path)
  }
  return found.toSorted()
}

/** What git itself would add. */
function untracked(root: string): readonly string[] {
  const out = git(root, 'ls-files', '-z', '--others', '--exclude-standard')
  return out
    .split('\0')
    .filter((path) => path !== '' && !path.startsWith('../'))
    .toSorted()
}

const CASES: readonly (readonly [string, { readonly [path: string]: string }])[] = [
  [
    'a name at any depth',
    {
      '.gitignore': '*.log\nbuild/\n',
      'a.log': '',
      'x/b.log': '',
      'build/o': '',
      'x/build/o': '',
      'build2/o': '',
      'y/build': '',
      'k.md': '',
    },
  ],
  ['a line taken back', { '.gitignore': '*.log\n!keep.log\n', 'a.log': '', 'keep.log': '', 'x/keep.log': '' }],
  ['what is in an excluded folder', { '.gitignore': 'out/\n!out/keep.md\n', 'out/keep.md': '', 'out/x/y': '', 'a.md': '' }],
  ['a folder emptied but for one', { '.gitignore': 'out/*\n!out/keep.md\n', 'out/keep.md': '', 'out/x.md': '', 'out/sub/y': '' }],
  [
    'a deeper file that takes back',
    { '.gitignore': '*.tmp\n', 'x/.gitignore': '!*.tmp\n', 'a.tmp': '', 'x/a.tmp': '', 'x/y/a.tmp': '' },
  ],
  [
    'a deeper file that adds',
    { 'x/.gitignore': '/only.md\nsub/\n', 'only.md': '', 'x/only.md': '', 'x/y/only.md': '', 'x/sub/a': '', 'sub/a': '' },
  ],
  ['a folder taken back further down', { '.gitignore': 'b/\n', 'a/.gitignore': '!b/\n', 'a/b/f': '', 'b/f': '', 'a/c/b/f': '' }],
  [
    'anchored lines',
    {
      '.gitignore': '/top.md\ndocs/*.txt\n',
      'top.md': '',
      'x/top.md': '',
      'docs/a.txt': '',
      'docs/x/a.txt': '',
      'x/docs/a.txt': '',
    },
  ],
  [
    'double stars',
    {
      '.gitignore': 'a/**/z\n**/q/**\nlog/**\n',
      'a/z': '',
      'a/b/c/z': '',
      z: '',
      'x/q/1': '',
      'q/2/3': '',
      'log/l': '',
      'x/log/l': '',
    },
  ],
  [
    'odd lines',
    {
      '.gitignore': '\\#a\n#b\n\\!c\nd\\ \ne  \n[f\n/\n\n   \ng\r\n',
      '#a': '',
      '#b': '',
      '!c': '',
      'd ': '',
      d: '',
      e: '',
      '[f': '',
      g: '',
    },
  ],
  ['everything but', { '.gitignore': '*\n!*/\n!*.md\n', 'a.md': '', 'a.txt': '', 'x/b.md': '', 'x/y/b.txt': '' }],
  [
    'info/exclude, weaker than files',
    { '.git/info/exclude': '*.a\n*.b\n', '.gitignore': '!*.b\n', 'x.a': '', 'x.b': '', 'y/x.a': '' },
  ],
]

describe.skipIf(!hasGit)('files() leaves out what git leaves out', () => {
  it.each(CASES)('files() agrees with git on %s', async (_, tree) => {
    const folder = await temporaryTree()
    git(folder.root, 'init', '-q')
    for (const [path, body] of Object.entries(tree)) await folder.write(path, body)
    const expected = untracked(folder.root)
    expect(await listed(folder.root)).toEqual(expected)
    const all = Object.keys(tree).filter((path) => !path.startsWith('.git/'))
    expect(await readable(folder.root, all)).toEqual(expected)
  })

  it('files() reads the rules above a root that lies in a repository', async () => {
    const folder = await temporaryTree()
    git(folder.root, 'init', '-q')
    const tree = {
      '.gitignore': '*.log\n/packages/docs/gen\n',
      'packages/.gitignore': '!docs/keep.log\ndocs/*.tmp\n',
      '.git/info/exclude': 'private*\n',
    }
    for (const [path, body] of Object.entries(tree)) await folder.write(path, body)
    for (const path of ['a.log', 'keep.log', 'x.tmp', 'gen/a', 'sub/gen/a', 'private.md', 'a.md', 'sub/keep.log'])
      await folder.write(`packages/docs/${path}`, '')
    const root = join(folder.root, 'packages/docs')
    expect(await listed(root)).toEqual(untracked(root))
    expect(await listed(root)).toEqual(['a.md', 'keep.log', 'sub/gen/a'])
  })

  it('files() serves a root that the rules above it leave out, by its own rules', async () => {
    const folder = await temporaryTree()
    git(folder.root, 'init', '-q')
    for (const [path, body] of Object.entries({
      '.gitignore': 'dist/\n*.map\n',
      'dist/a.js': '',
      'dist/a.map': '',
      'dist/b.tmp': '',
      'dist/.gitignore': '*.tmp\n',
    })) {
      await folder.write(path, body)
    }
    expect(await listed(join(folder.root, 'dist'))).toEqual(['.gitignore', 'a.js', 'a.map'])
  })

  it('files() agrees with git on random lines and trees', { timeout: 60_000 }, async () => {
    const name = fc.constantFrom('a', 'b', 'ab', 'a.md', 'b.md')
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
    const piece = fc.constantFrom('a', 'b', 'ab', '*', '*.md', '**', '?', '[ab]', '[!a]', 'a*', '*b', '\\a', '[[:alpha:]]')
    const line = fc
      .tuple(
        fc.constantFrom('', '', '!'),
        fc.constantFrom('', '/'),
        fc.array(piece, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('', '', '/'),
      )
      .map(([not, start, parts, end]) => not + start + parts.join('/') + end)
    const ignoreFile = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { minLength: 3, maxLength: 10 }),
        ignoreFile,
        ignoreFile,
        ignoreFile,
        async (paths, top, inA, exclude) => {
          const folder = await temporaryTree()
          git(folder.root, 'init', '-q')
          await folder.write('.git/info/exclude', exclude)
          await folder.write('.gitignore', top)
          // A name cannot be a file and a folder: what does not fit is left away.
          for (const file of paths) await folder.write(file, '').catch(() => {})
          await folder.write('a/.gitignore', inA).catch(() => {})
          const expected = untracked(folder.root)
          expect(await listed(folder.root)).toEqual(expected)
        },
      ),
      { numRuns: 120 },
    )
  })
})

describe('files() and ignore files', () => {
  it('files() with ignore: false serves what ignore files leave out', async () => {
    const folder = await temporaryTree({ '.gitignore': '*.log\n', 'a.log': 'x' })
    const provider = files({ root: folder.root, name: 'r', ignore: false })
    expect((await provider.list({ limit: 9 }, call)).items.map((item) => item.name)).toEqual(['a.log'])
  })

  it('files() respects ignore files outside any repository, for reading, stat, children and completion too', async () => {
    const folder = await temporaryTree({ '.gitignore': '*.log\nout/\n', 'a.log': 'x', 'out/a.md': 'x', 'k.md': 'x' })
    const provider = files({ root: folder.root, name: 'r' })
    for (const uri of ['file:///r/a.log', 'file:///r/out/a.md', 'file:///r/out']) {
      await expect(provider.read({ uri, maxBytes: 9 }, call)).rejects.toMatchObject({ code: 'not-found' })
      await expect(provider.stat({ uri }, call)).rejects.toMatchObject({ code: 'not-found' })
      await expect(provider.children({ uri, limit: 9 }, call)).rejects.toMatchObject({ code: 'not-found' })
    }
    expect((await provider.children({ uri: 'file:///r', limit: 9 }, call)).items.map((item) => item.name)).toEqual(['k.md'])
    const completion = { template: 'file:///r/{+path}', variable: 'path', prefix: '', arguments: {}, limit: 9 }
    expect((await provider.complete(completion, call)).values).toEqual(['k.md'])
  })

  it('createIgnoreRules() notices a changed, added or removed file after a second, and not before', async () => {
    const folder = await temporaryTree({ '.gitignore': 'a\n', 'sub/x': '' })
    let now = 0
    const rules = createIgnoreRules(openRoot({ root: folder.root, name: 'r' }), () => now)
    const excluded = async (path: string, name: string) => (await rules.of(path)).excludes(name, false)
    expect([await excluded('', 'a'), await excluded('', 'b'), await excluded('sub', 'a')]).toEqual([true, false, true])
    await folder.write('.gitignore', 'bb\n')
    await folder.write('sub/.gitignore', 'c\n')
    now = 999
    expect([await excluded('', 'a'), await excluded('sub', 'c')]).toEqual([true, false])
    now = 1_000
    expect([await excluded('', 'a'), await excluded('', 'bb'), await excluded('sub', 'bb'), await excluded('sub', 'c')]).toEqual([
      false,
      true,
      true,
      true,
    ])
    await rm(join(folder.root, '.gitignore'))
    now = 2_000
    expect([await excluded('sub', 'bb'), await excluded('sub', 'c')]).toEqual([false, true])
  })
})
