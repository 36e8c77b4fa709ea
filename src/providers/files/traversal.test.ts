import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ShelfError } from '../../errors.ts'
import { localCall } from '../../library/index.ts'
import { openTemporaryTree } from '../../testing/index.ts'
import type { TemporaryTree } from '../../testing/index.ts'
import { files } from './index.ts'
import type { FilesProvider } from './index.ts'

const call = localCall()

/** What is appended to `file:///data`. */
const TAILS = [
  '/../secret.txt',
  '/..%2Fsecret.txt',
  '/..%2fsecret.txt',
  '/%2e%2e/secret.txt',
  '/%2E%2E/secret.txt',
  '/%2e%2e%2fsecret.txt',
  '/%252e%252e/secret.txt',
  '/%252e%252e%252fsecret.txt',
  '/%c0%ae%c0%ae/secret.txt',
  '/%c0%af..%c0%afsecret.txt',
  '/%e0%80%ae./secret.txt',
  '/..%5c..%5cx',
  '/..\\secret.txt',
  '/%5c..%5csecret.txt',
  '/..%00/secret.txt',
  '/a.md%00',
  '/a.md%00.txt',
  '/%00',
  '/%ff',
  '/a%ff.md',
  '/.',
  '/./a.md',
  '/%2e/a.md',
  '/sub/../a.md',
  '/sub/%2e%2e/a.md',
  '/a.md/.',
  '/a.md/..',
  '/a.md/',
  '/a.md//',
  '//a.md',
  '/sub//b.md',
  '/%2Fetc%2Fpasswd',
  '/%2fetc/passwd',
  '//etc/passwd',
  '/sub%2Fb.md',
  '/sub%2fb.md',
  '/sub%5Cb.md',
  '/a%2F..%2F..%2Fx',
  '/..%2Fx',
  '/a.md?',
  '/a.md?raw',
  '/a.md?raw??',
  '/a.md#',
  '/a.md#/../x',
  '/a.md%20',
  '/a.md%2E%20',
  '/a.md;x=1',
  '/A.MD',
  '/a.md::$DATA',
  '/a.md:stream',
  '/a.md%3Astream',
  '/a%2Emd%2F',
  '/%',
  '/%zz',
  '/%u002e',
  '/a.md\n',
  '/a.md\t',
  '/a\tb',
  '/\ud800',
  '/{a}',
  '-evil/x.txt',
  '.bak/x.txt',
  '-evil',
  '%2Devil/x.txt',
  '%2F..%2Fdata-evil/x.txt',
  '/../data-evil/x.txt',
  '/..%2Fdata-evil%2Fx.txt',
  '/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
  `/${'../'.repeat(40)}etc/passwd`,
  `/${'a/'.repeat(2_000)}x`,
  `/${'x'.repeat(300)}`,
  '/.env?x',
  '/.env#',
  '/.env/.',
  '/.env/',
  '/.ENV',
  '/.env.',
  '/./.env',
  '/sub/../.env',
  '/.env%00.txt',
  '/.env%20',
  '/.env',
  '/%2eenv',
  '/PROGRA~1',
  '/\\\\?\\C:\\x',
  '//server/share',
  '/C:x',
  '/proc/self/environ',
  '/%2e%2e%2f%2e%2e%2fproc%2fself%2fenviron',
] as const

/** Whole URIs. */
const URIS = [
  'file:///dat/x.txt',
  'file:///',
  'file://',
  'file:',
  'file:/data/a.md',
  'file:data/a.md',
  'file://localhost/data/a.md',
  'file://data/a.md',
  'file:////data/a.md',
  'file:///etc/passwd',
  'file:///proc/self/environ',
  'http://data/a.md',
  '/data/a.md',
  'data/a.md',
  'file:///DATA/a.md',
  'file://user@/data/a.md',
  'FILE:\\\\\\data\\a.md',
  'file:///data%2Fa.md',
  'file:///data%2fa.md',
  '',
]

/** Generated as traversal lists are: parts, encodings, depths. */
const GENERATED = [
  '..',
  '%2e%2e',
  '.%2e',
  '%2E.',
  '%252e%252e',
  '%c0%ae%c0%ae',
  '%uff0e%uff0e',
  '..;',
  '%%32%65%%32%65',
  '\uff0e\uff0e',
].flatMap((up) =>
  ['/', '%2f', '%2F', '%5c', '\\', '%252f', '%c0%af', '%c1%9c', '\u2215', '\uff0f'].flatMap((slash) =>
    [1, 2, 8].map((depth) => `file:///data/${(up + slash).repeat(depth)}secret.txt`),
  ),
)

describe('files() on URIs that lead elsewhere', () => {
  let tree: TemporaryTree
  let provider: FilesProvider
  beforeAll(async () => {
    tree = await openTemporaryTree({
      'secret.txt': 'CANARY',
      'data/a.md': 'a',
      'data/sub/b.md': 'b',
      'data/.env': 'CANARY',
      'data/%2e%2e': 'literal',
      'data-evil/x.txt': 'CANARY',
      'data.bak/x.txt': 'CANARY',
      'dat/x.txt': 'CANARY',
      'etc/passwd': 'CANARY',
    })
    provider = files({ root: join(tree.root, 'data'), name: 'data', hidden: true })
  })
  afterAll(() => tree[Symbol.asyncDispose]())

  /** What three operations say of a URI: nothing if all say that there is nothing, with the URI as sent. */
  const answers = async (uri: string) => {
    const operations = [
      provider.read({ uri, maxBytes: 1_000 }, call),
      provider.stat({ uri }, call),
      provider.children({ uri, limit: 10 }, call),
    ]
    const settled = await Promise.allSettled(operations)
    return settled.filter((one) => {
      if (one.status === 'fulfilled' || !ShelfError.is(one.reason, 'not-found')) return true
      return one.reason.message !== 'Resource not found' || one.reason.details.uri !== uri
    })
  }

  it.each(TAILS)('files() finds nothing at file:///data%j', async (tail) => {
    expect(await answers(`file:///data${tail}`)).toEqual([])
  })
  it.each(URIS)('files() finds nothing at %j', async (uri) => {
    expect(await answers(uri)).toEqual([])
  })
  it('files() finds nothing at any generated traversal', async () => {
    for (const uri of GENERATED) expect(await answers(uri)).toEqual([])
  })

  it.each([
    ['file:///data/a.md', 'a'],
    ['FILE:///data/a.md', 'a'],
    ['file:///data/%61.md', 'a'],
    ['file:///%64ata/sub/%62.md', 'b'],
    ['file:///data/%252e%252e', 'literal'],
  ])('files() reads %s', async (uri, text) => {
    expect(await provider.read({ uri, maxBytes: 1_000 }, call)).toMatchObject({ contents: [{ uri, text }] })
  })
})
