import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { delimiter, dirname, join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { importsOf } from './imports.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Which part of `src` may import which; whatever those may import comes with it. `X` is one folder among siblings,
 * which never see each other. `*` stands for every part.
 */
const table: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  uri: ['errors'],
  protocol: ['uri'],
  library: ['protocol'],
  server: ['library'],
  client: ['library'],
  host: ['library'],
  picker: ['host', 'client'],
  bus: ['library'],
  runtime: ['library'],
  'user-files': [],
  media: ['errors'],
  'providers/X': ['library', 'media'],
  'providers/upstream': ['library', 'media', 'client'],
  'transports/X': ['server', 'client', 'runtime', 'user-files'],
  'transports/open': ['transports/X'],
  'adapters/X': ['library', 'server', 'host', 'transports/X', 'transports/open'],
  testing: ['library', 'server', 'client', 'transports/memory'],
  cli: ['*'],
  index: ['errors', 'uri', 'protocol', 'library', 'server'],
}

/** Parts that run on any JavaScript engine. */
const neutral = ['index', 'errors', 'uri', 'protocol', 'library', 'server', 'client', 'host', 'picker']

/** Parts that are a row of `X`: a folder of them is a part of its own. */
const families = ['providers', 'transports', 'adapters']

const { exports: subpaths } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, { types: string; default: string } | string>
}

/** The source of what a subpath of the package gives, which is a way in by itself. */
const sourceOf = (file: string): string => file.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts')
const published = Object.values(subpaths).flatMap((target) => (typeof target === 'string' ? [] : [sourceOf(target.default)]))

const maxLines = 400

/** The part a file of `src` belongs to: `uri/match.ts` to `uri`, `providers/files/index.ts` to `providers/files`. */
function partOf(path: string): string {
  const [first = '', second] = path.replace(/\.ts$/, '').split('/')
  return families.includes(first) && second !== undefined ? `${first}/${second}` : first
}

/** The row of a part, or undefined where there is none. */
function rowOf(part: string): string | undefined {
  if (part in table) return part
  const family = `${part.split('/')[0]}/X`
  return part.includes('/') && family in table ? family : undefined
}

/** Does `row`, or a row it names, name the part? */
function names(row: string, part: string, seen = new Set<string>()): boolean {
  if (seen.has(row)) return false
  seen.add(row)
  return (table[row] ?? []).some((entry) => {
    if (entry === '*' || entry === part || entry === rowOf(part)) return true
    const next = rowOf(entry) ?? entry
    return next in table && names(next, part, seen)
  })
}

const builtin = new Set(builtinModules)

/** What is wrong with the imports of one file, each as `file:line: reason`. */
function faults(path: string, text: string): string[] {
  const part = partOf(path)
  const row = rowOf(part)
  if (row === undefined) return [`${path}: no row of the table is for ${part}`]
  return importsOf(path, text).flatMap(({ specifier, line, kind }) => {
    const fault = faultOf(path, part, row, specifier, kind)
    return fault ? [`${path}:${line}: ${fault}`] : []
  })
}

function faultOf(path: string, part: string, row: string, specifier: string, kind: string): string | undefined {
  if (!specifier.startsWith('.')) {
    if (specifier === 'shelfmark' || specifier.startsWith('shelfmark/')) return `imports this package by name: ${specifier}`
    const node = specifier.startsWith('node:') || builtin.has(specifier)
    return node && neutral.includes(part) ? `${part} runs anywhere, and imports ${specifier}` : undefined
  }
  const target = posix.join(posix.dirname(path), specifier)
  if (target.startsWith('..')) return `leaves src: ${specifier}`
  const other = partOf(target)
  if (other === part) {
    const eager = path === 'cli/main.ts' && target.startsWith('cli/commands/') && kind === 'static'
    return eager ? `a command is loaded when it is asked for, not statically: ${specifier}` : undefined
  }
  if (!names(row, other)) return `${part} may not import ${other}`
  const doors = [`${other}.ts`, `${other}/index.ts`, ...published]
  return doors.includes(target) ? undefined : `${other} is entered by its index.ts, not ${specifier}`
}

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => name.split(sep).join('/'))
  .filter((name) => name.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(name))
  .toSorted()

const read = (path: string): string => readFileSync(join(root, 'src', path), 'utf8')

describe('the checker', () => {
  const cases: readonly (readonly [why: string, path: string, text: string, wanted: readonly string[]])[] = [
    ['an import down the table', 'protocol/a.ts', "import { b } from '../uri/index.ts'", []],
    ['an import of what a named row names', 'server/a.ts', "import { b } from '../errors.ts'", []],
    ['an import inside a folder', 'uri/a.ts', "import { b } from './deep/b.ts'", []],
    ['a static import up', 'uri/a.ts', "\nimport { b } from '../library/index.ts'", ['uri/a.ts:2: uri may not import library']],
    ['a bare import up', 'uri/a.ts', "import '../library/index.ts'", ['uri/a.ts:1: uri may not import library']],
    [
      'a type-only import up',
      'uri/a.ts',
      "import type { B } from '../server/index.ts'",
      ['uri/a.ts:1: uri may not import server'],
    ],
    ['a re-export up', 'uri/a.ts', "export { b } from '../host/index.ts'", ['uri/a.ts:1: uri may not import host']],
    ['a type re-export up', 'uri/a.ts', "export type { B } from '../host/index.ts'", ['uri/a.ts:1: uri may not import host']],
    ['an export of all up', 'uri/a.ts', "export * from '../host/index.ts'", ['uri/a.ts:1: uri may not import host']],
    ['a dynamic import up', 'uri/a.ts', "await import('../client/index.ts')", ['uri/a.ts:1: uri may not import client']],
    ['a type named in place', 'uri/a.ts', "let b: import('../client/index.ts').B", ['uri/a.ts:1: uri may not import client']],
    [
      'a type query in place',
      'uri/a.ts',
      "let b: typeof import('../client/index.ts')",
      ['uri/a.ts:1: uri may not import client'],
    ],
    [
      'an import deep in a function',
      'uri/a.ts',
      "const f = () => ({ g: () => import('../cli/main.ts') })",
      ['uri/a.ts:1: uri may not import cli'],
    ],
    ['a sibling', 'server/a.ts', "import { b } from '../host/index.ts'", ['server/a.ts:1: server may not import host']],
    [
      'a provider that sees another',
      'providers/git/a.ts',
      "import '../files/index.ts'",
      ['providers/git/a.ts:1: providers/git may not import providers/files'],
    ],
    [
      'a provider on a client',
      'providers/git/a.ts',
      "import '../../client/index.ts'",
      ['providers/git/a.ts:1: providers/git may not import client'],
    ],
    ['the upstream provider on a client', 'providers/upstream/a.ts', "import '../../client/index.ts'", []],
    ['a provider on media', 'providers/web/a.ts', "import '../../media/index.ts'", []],
    ['media on a library', 'media/a.ts', "import '../library/index.ts'", ['media/a.ts:1: media may not import library']],
    [
      'a transport that sees another',
      'transports/http/a.ts',
      "import '../stdio/index.ts'",
      ['transports/http/a.ts:1: transports/http may not import transports/stdio'],
    ],
    ['open.ts, which knows all transports', 'transports/open.ts', "import './http/index.ts'", []],
    ['an adapter on a transport', 'adapters/hono/a.ts', "import '../../transports/http/index.ts'", []],
    ['testing on the memory transport', 'testing/a.ts', "import '../transports/memory/index.ts'", []],
    [
      'testing on another transport',
      'testing/a.ts',
      "import '../transports/http/index.ts'",
      ['testing/a.ts:1: testing may not import transports/http'],
    ],
    [
      'the front door on a provider',
      'index.ts',
      "import './providers/files/index.ts'",
      ['index.ts:1: index may not import providers/files'],
    ],
    [
      'a way in beside index.ts',
      'library/a.ts',
      "import '../uri/match.ts'",
      ['library/a.ts:1: uri is entered by its index.ts, not ../uri/match.ts'],
    ],
    ['a file that is a subpath of the package', 'cli/a.ts', "import '../runtime/audit-file.ts'", []],
    [
      'a file beside it',
      'cli/a.ts',
      "import '../runtime/key.ts'",
      ['cli/a.ts:1: runtime is entered by its index.ts, not ../runtime/key.ts'],
    ],
    ['the command line, which may import all', 'cli/a.ts', "import '../picker/index.ts'; import '../providers/git/index.ts'", []],
    ['a command loaded lazily', 'cli/main.ts', "await import('./commands/serve.ts')", []],
    [
      'a command loaded at once',
      'cli/main.ts',
      "import './commands/serve.ts'",
      ['cli/main.ts:1: a command is loaded when it is asked for, not statically: ./commands/serve.ts'],
    ],
    [
      'Node in a neutral folder',
      'library/a.ts',
      "import fs from 'node:fs'",
      ['library/a.ts:1: library runs anywhere, and imports node:fs'],
    ],
    ['Node without its prefix', 'library/a.ts', "import fs from 'fs'", ['library/a.ts:1: library runs anywhere, and imports fs']],
    ['Node elsewhere', 'runtime/a.ts', "import fs from 'node:fs'", []],
    ['a way out of src', 'cli/a.ts', "import '../../scripts/x.ts'", ['cli/a.ts:1: leaves src: ../../scripts/x.ts']],
    [
      'this package by its name',
      'cli/a.ts',
      "import 'shelfmark/uri'",
      ['cli/a.ts:1: imports this package by name: shelfmark/uri'],
    ],
    ['a folder without a row', 'utils/a.ts', '', ['utils/a.ts: no row of the table is for utils']],
  ]
  test.each(cases)('knows %s', (_why, path, text, wanted) => {
    expect(faults(path, text)).toEqual(wanted)
  })

  test('refuses a dynamic import whose module is computed', () => {
    expect(() => importsOf('cli/a.ts', 'await import(name)')).toThrow('cli/a.ts:1: the module is not named by a literal')
  })

  test('refuses a file that does not parse', () => {
    expect(() => importsOf('uri/a.ts', 'import {')).toThrow('uri/a.ts')
  })
})

describe('src', () => {
  test('imports only what the table allows', () => {
    expect(sources.length).toBeGreaterThan(1)
    expect(sources.flatMap((path) => faults(path, read(path)))).toEqual([])
  })

  test(`has no file over ${maxLines} lines`, () => {
    expect(sources.filter((path) => read(path).trimEnd().split('\n').length > maxLines)).toEqual([])
  })
})

describe('package.json', () => {
  test('has a source file for every subpath', () => {
    const missing = Object.entries(subpaths).filter(([subpath, target]) => {
      if (typeof target === 'string') return !existsSync(join(root, target))
      return (
        !existsSync(join(root, 'src', sourceOf(target.default))) ||
        target.types !== target.default.replace(/\.js$/, '.d.ts') ||
        subpath === ''
      )
    })
    expect(missing.map(([subpath]) => subpath)).toEqual([])
  })
})

describe('the Node that tests run on', () => {
  test('is not shadowed by a package: node_modules/.bin/node does not exist', () => {
    expect(existsSync(join(root, 'node_modules/.bin/node'))).toBe(false)
  })

  test('is the one of the shell', () => {
    const found = (process.env.PATH ?? '')
      .split(delimiter)
      .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
      .find((file) => existsSync(file))
    expect(realpathSync(found ?? '')).toBe(realpathSync(process.execPath))
    expect(execFileSync('node', ['--version'], { encoding: 'utf8' }).trim()).toBe(process.version)
  })
})
