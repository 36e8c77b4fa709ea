import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { ShelfError } from '../../errors.ts'
import { parseConfig, readConfig } from './read-config.ts'

const KEY = 'k'.repeat(32)
const parse = (text: string, environment = {}) => parseConfig(text, '/etc/acme/shelfmark.yaml', environment).settings

/** What is said of a text, without the name of its file. */
function said(text: string, environment = {}): string {
  try {
    parse(text, environment)
    return ''
  } catch (error) {
    if (!ShelfError.is(error, 'invalid-option')) throw error
    return error.message.replaceAll('shelfmark.yaml:', '')
  }
}

describe('parseConfig()', () => {
  it('takes paths from the folder of the file, sizes and times with their units, and short forms', () => {
    const settings = parse(
      `
name: acme
mounts:
  - ./docs
  - handbook=../handbook
  - { source: /srv/src, name: code, hidden: true, ignore: false, poll: true, deadline: 500ms, allowSecrets: [config/.env] }
  - { source: "mcp:https://example.com/mcp", token: env:TOKEN }
http:
  listen: 127.0.0.1:7467
  allowedHosts: [docs.example.com]
  maxBody: 2MiB
  sessionIdle: 5min
identity: { tokens: tokens.txt }
audit: audit/audit.jsonl
rate: { perSecond: 0.5, burst: 10 }
concurrency: { total: 8, wait: 5s }
access:
  - allow: file:///docs
  - { name: staff, allow: [file:///code], who: { scope: staff }, operations: [list, read] }
deadline: 10s
limits: { maxRead: 1MiB, cursorTtl: 1h }
keys: [env:KEY]
`,
      { TOKEN: 'secret', KEY },
    )
    expect(settings).toEqual({
      name: 'acme',
      mounts: [
        { text: './docs', source: { path: '/etc/acme/docs' }, policies: {} },
        { text: 'handbook=../handbook', source: { name: 'handbook', path: '/etc/handbook' }, policies: {} },
        {
          text: '/srv/src',
          source: { name: 'code', path: '/srv/src' },
          hidden: true,
          ignore: false,
          poll: true,
          allowSecrets: ['config/.env'],
          policies: { deadline: { ms: 500 } },
        },
        { text: 'mcp:https://example.com/mcp', source: { path: 'mcp:https://example.com/mcp' }, token: 'secret', policies: {} },
      ],
      http: {
        host: '127.0.0.1',
        port: 7467,
        allowedHosts: ['docs.example.com'],
        limits: { maxBody: 2_097_152, sessionIdleMs: 300_000 },
      },
      identity: { tokens: '/etc/acme/tokens.txt' },
      limits: { maxRead: 1_048_576, cursorTtlMs: 3_600_000 },
      keys: [KEY],
      secretFiles: [],
      policies: {
        audit: { file: '/etc/acme/audit/audit.jsonl' },
        rate: { perSecond: 0.5, burst: 10 },
        concurrency: { total: 8, waitMs: 5_000 },
        access: [
          { allow: ['file:///docs'] },
          { name: 'staff', allow: ['file:///code'], who: { scope: 'staff' }, operations: ['list', 'read'] },
        ],
        deadline: { ms: 10_000 },
      },
    })
  })

  it('takes JSON, and false for a policy that is not wanted', () => {
    expect(parse('{"mounts": ["./docs"], "rate": false, "deadline": false, "http": {"listen": 80}}')).toMatchObject({
      policies: { rate: false, deadline: false },
      http: { port: 80 },
    })
  })

  it('takes what replaces, keeps and bounds answers, of the server and of a mount', () => {
    const text = `
redact: true
cache: 30s
mounts:
  - source: ./docs
    symlinks: deny
    sameDevice: true
    cache: { ttl: 1min, notFound: 500ms, maxBytes: 1MiB, untilChanged: true }
    redact: { known: [password], patterns: [{ name: badge, prefix: [B-], characters: 0-9, atLeast: 4 }, { name: word, text: swordfish }] }
    limits: { maxRead: 1MiB, depth: 0 }
`
    expect(parse(text)).toMatchObject({
      policies: { redact: {}, cache: { ttlMs: 30_000 } },
      mounts: [
        {
          symlinks: 'deny',
          sameDevice: true,
          policies: {
            cache: { ttlMs: 60_000, notFoundMs: 500, maxBytes: 1_048_576, untilChanged: true },
            redact: {
              known: ['password'],
              patterns: [
                { name: 'badge', prefix: ['B-'], characters: '0-9', atLeast: 4 },
                { name: 'word', text: ['swordfish'] },
              ],
            },
            limits: { maxRead: 1_048_576, depth: 0 },
          },
        },
      ],
    })
  })

  it('takes tokens of an issuer, and scopes', () => {
    const text =
      'mounts: [./docs]\nidentity: { jwt: { issuer: https://login.example }, publicUrl: https://docs.example/mcp, requiredScopes: [read] }'
    expect(parse(text).identity).toEqual({
      jwt: { issuer: 'https://login.example' },
      publicUrl: 'https://docs.example/mcp',
      requiredScopes: ['read'],
    })
  })

  it.each([
    ['redact: { known: [toString] }', /^1:19: redact\.known\[0\]: /],
    ['redact: { patterns: [{ name: Big, text: x }] }', /^1:22: redact\.patterns\[0\]: /],
    ['cache: soon', /^1:8: cache.ttl: wants a time such as 30s/],
    ['mounts: [{ source: ./a, symlinks: follow }]', /^1:35: mounts\[0\]\.symlinks: wants one of within-root, deny/],
    ['identity: { jwt: {} }', /^1:18: identity\.jwt\.issuer: is missing/],
  ])('says where %s is wrong', (text, message) => {
    expect(said(text)).toMatch(message)
  })

  it.each([
    ['', '1:1: is empty'],
    [
      'mounts',
      '1:1: wants the keys name, mounts, http, identity, tools, limits, keys, audit, rate, concurrency, access, deadline, redact, cache, got "mounts"',
    ],
    ['mount: [./docs]', '1:1: mount: there is no such key; did you mean mounts?'],
    [
      'colour: red',
      '1:1: colour: there is no such key; there are name, mounts, http, identity, tools, limits, keys, audit, rate, concurrency, access, deadline, redact, cache',
    ],
    ['name: 5', '1:7: name: wants text, got 5'],
    ['name: ""', '1:7: name: wants text, got ""'],
    ['mounts: ./docs', '1:9: mounts: wants a list, got "./docs"'],
    [
      'mounts: [5]',
      '1:10: mounts[0]: wants the keys source, name, hidden, ignore, poll, allowSecrets, anyRoot, symlinks, denyHardlinks, sameDevice, token, rate, concurrency, deadline, redact, cache, limits, got 5',
    ],
    ['mounts:\n  - name: a', '2:5: mounts[0].source: is missing'],
    ['mounts:\n  - { source: ./a, hidden: yes }', '2:28: mounts[0].hidden: wants true or false, got "yes"'],
    ['mounts:\n  - { source: ./a, hiden: true }', '2:20: mounts[0].hiden: there is no such key; did you mean hidden?'],
    [
      'mounts:\n  - { source: a=./a, name: b }',
      '2:5: mounts[0]: is called a by its source and b by its name: leave one of them out',
    ],
    ['mounts: ["a="]', '1:10: mounts[0]: The source "a=" names no folder'],
    ['mounts:\n  - { source: ./a, token: env:T }', '2:27: mounts[0].token: there is no variable T in the environment'],
    ['mounts:\n  - { source: "mcp:x", poll: true }', '2:5: mounts[0]: poll is for folders, and "mcp:x" is none'],
    ['mounts:\n  - { source: "mcp:x", deadline: 5s }', '2:5: mounts[0]: deadline is for folders, and "mcp:x" is none'],
    ['http: { listen: here }', '1:17: http.listen: wants [host:]port, for example 7467 or 127.0.0.1:7467, got "here"'],
    ['http: { listen: 99999 }', '1:17: http.listen: wants [host:]port, for example 7467 or 127.0.0.1:7467, got "99999"'],
    ['http: { tls: { cert: a.pem } }', '1:14: http.tls.key: is missing'],
    ['http: { allowedHosts: a }', '1:23: http.allowedHosts: wants a list, got "a"'],
    ['http: { keepAlive: soon }', '1:20: http.keepAlive: wants a time such as 30s, or a number of milliseconds, got "soon"'],
    ['identity: { token: a }', '1:13: identity.token: there is no such key; did you mean tokens?'],
    ['rate: { perSecond: fast }', '1:20: rate.perSecond: wants a number above 0, got "fast"'],
    ['rate: { perSecond: -1 }', '1:20: rate.perSecond: wants a number above 0, got -1'],
    ['rate: { burst: .inf }', '1:16: rate.burst: wants a number above 0, got null'],
    ['rate: true', '1:7: rate: wants the keys perSecond, burst, completionsPerSecond, principals, got true'],
    ['concurrency: { total: 1.5 }', '1:23: concurrency.total: wants a whole number from 1 on, got 1.5'],
    ['concurrency: { queue: -1 }', '1:23: concurrency.queue: wants a whole number from 0 on, got -1'],
    ['deadline: 30 parsecs', '1:11: deadline.after: wants a time such as 30s, or a number of milliseconds, got "30 parsecs"'],
    [
      'deadline: { operations: [write] }',
      '1:26: deadline.operations[0]: wants one of list, templates, read, stat, children, complete, subscribe, got "write"',
    ],
    ['audit: { file: a, maxBytes: 5M }', '1:29: audit.maxBytes: wants a size such as 5MiB, or a number of bytes, got "5M"'],
    ['audit: false', '1:8: audit: wants the keys file, maxBytes, files, queryValues, got false'],
    ['limits: { maxRead: 0 }', '1:20: limits.maxRead: wants a size such as 5MiB, or a number of bytes, got 0'],
    ['limits: { maxred: 1 }', '1:11: limits.maxred: there is no such key; did you mean maxRead?'],
    ['access:\n  - allow: any\n  - alow: any', '3:5: access[1].alow: there is no such key; did you mean allow?'],
    ['access:\n  - name: a', '2:5: access[0]: An access rule: it says either "allow" or "deny"'],
    ['access:\n  - { allow: [] }', '2:14: access[0].allow: wants at least one'],
    [
      'access:\n  - { allow: docs }',
      '2:5: access[0]: An access rule names "docs", with which no URI begins: a prefix has a scheme and no braces',
    ],
    [
      'access:\n  - { allow: any, who: staff }',
      '2:5: access[0]: An access rule: "who" must be one of local, anonymous, authenticated, or facts, got "staff"',
    ],
    [
      'access:\n  - { allow: any, operations: [write] }',
      '2:5: access[0]: An access rule: "operations" are some of list, templates, read, children, complete, subscribe, got ["write"]',
    ],
    ['keys: [hunter2]', '1:8: keys[0]: wants env:NAME or file:path, so that no secret stands in this file'],
    ['keys: [12345678]', '1:8: keys[0]: wants env:NAME or file:path'],
    [
      'mounts: [{ source: "mcp:x", token: env:toString }]',
      '1:36: mounts[0].token: there is no variable toString in the environment',
    ],
    ['keys: [env:SHORT]', '1:8: keys[0]: wants a secret of at least 32 characters, and this one has 5'],
  ])('says of %j that %s', (text, message) => {
    expect(said(text, { SHORT: 'short' })).toBe(message)
  })

  it('says all that is wrong, in the order in which it stands there, and nothing twice', () => {
    expect(said('rate: { burst: x }\nnmae: a\nmounts: [{ source: ./a, hidden: 1 }]\naccess: [{ alow: any }]\n')).toBe(
      `shelfmark.yaml has 4 mistakes
  1:16: rate.burst: wants a number above 0, got "x"
  2:1: nmae: there is no such key; did you mean name?
  3:33: mounts[0].hidden: wants true or false, got 1
  4:12: access[0].alow: there is no such key; did you mean allow?`,
    )
    expect(
      said(`{${Array.from({ length: 30 }, (_, i) => `x${i}: 1`).join()}}`)
        .split('\n')
        .at(-1),
    ).toBe('  and 10 more')
  })

  it('never repeats what a secret may be', () => {
    expect(said('keys: [geheim, "file:/nowhere"]\nmounts: [{ source: "mcp:x", token: geheim }]')).not.toContain('geheim')
  })

  it('neither crashes nor hangs on any JSON or text', () => {
    const known = fc.constantFrom(
      'name',
      'mounts',
      'http',
      'identity',
      'audit',
      'rate',
      'concurrency',
      'access',
      'deadline',
      'limits',
      'keys',
      'source',
      'listen',
      'tls',
      'allow',
      'who',
      'claims',
      'operations',
      'after',
      'perSecond',
      '__proto__',
      'constructor',
      'toString',
    )
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, depthIdentifier: 'value' },
        fc.oneof(
          fc.string(),
          fc.double(),
          fc.boolean(),
          fc.constant(null),
          fc.constantFrom('any', 'x:{y', 'env:PATH', 'file:/dev/zero', '30s', '5MiB'),
        ),
        fc.array(tie('value'), { maxLength: 4, depthIdentifier: 'value' }),
        fc.dictionary(known, tie('value'), { maxKeys: 6, depthIdentifier: 'value' }),
      ),
    }))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          value.map((any) => JSON.stringify(any)),
        ),
        (text) => {
          expect(said(text)).toBeTypeOf('string')
        },
      ),
      { numRuns: 1_000 },
    )
    expect(({} as { name?: unknown }).name).toBeUndefined()
  })
})

describe('readConfig()', () => {
  it('reads a file, and secrets from files that nobody else may read', async () => {
    const { root: path } = await temporaryTree({ 'shelfmark.yaml': 'keys: [file:key]\n', key: `${KEY}\n` })
    chmodSync(join(path, 'key'), 0o600)
    expect(readConfig(join(path, 'shelfmark.yaml'), {}).settings).toMatchObject({ keys: [KEY], secretFiles: [join(path, 'key')] })
    chmodSync(join(path, 'key'), 0o644)
    expect(() => readConfig(join(path, 'shelfmark.yaml'), {})).toThrow(
      `shelfmark.yaml:1:8: keys[0]: ${join(path, 'key')} can be read by others: chmod 600 it`,
    )
  })

  it('refuses what is no file, no UTF-8, not there or too large', async () => {
    const { root: path } = await temporaryTree({})
    const at = (name: string) => join(path, name)
    mkdirSync(at('folder'))
    writeFileSync(at('latin'), Buffer.from('name: \xe9', 'latin1'))
    writeFileSync(at('large'), '#'.repeat(1024 * 1024 + 1))
    writeFileSync(at('marked'), '\uFEFFname: a\n')
    for (const [file, message] of [
      [at('folder'), `${at('folder')} is no file`],
      ['/dev/zero', '/dev/zero is no file'],
      [at('latin'), `${at('latin')} is not UTF-8`],
      [at('none'), `${at('none')} cannot be read: ENOENT`],
      [at('large'), `${at('large')} has more than 1048576 bytes`],
    ] as const) {
      expect(() => readConfig(file, {})).toThrow(message)
    }
    expect(readConfig(at('marked'), {}).settings.name).toBe('a')
  })
})
