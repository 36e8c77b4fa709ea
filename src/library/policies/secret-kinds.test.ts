import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { knownKind, ownKinds, SECRET_NAMES } from './secret-kinds.ts'
import type { SecretName, SecretPattern } from './secret-kinds.ts'
import type { SecretKind } from './secret-span.ts'
import { secretsIn, withoutSpans } from './secret-span.ts'

/** Put together here, so that nobody who looks through this repository finds a secret. */
const body = (length: number): string => 'aB3dE5gH'.repeat(Math.ceil(length / 8)).slice(0, length)
const dashes = '-'.repeat(5)
const pem = (label: string): string => `${dashes}BEGIN ${label}${dashes}\nMIIE\n${body(60)}\n${dashes}END ${label}${dashes}`
const jwt = `eyJ${body(17)}.eyJ${body(30)}.${body(43)}`

const all = SECRET_NAMES.map(knownKind)
const redacted = (text: string, kinds = all): string => withoutSpans(text, secretsIn(text, kinds))

/** What is a secret of each kind, each as a text before, the secret, and a text after. */
const secrets: readonly (readonly [name: SecretName, before: string, secret: string, after?: string])[] = [
  ['private-key', 'key:\n', pem('PRIVATE KEY'), '\nrest'],
  ['private-key', '{"key":"', pem('RSA PRIVATE KEY').replaceAll('\n', '\\n'), '\\n"}'],
  ['private-key', '', pem('PGP PRIVATE KEY BLOCK')],
  ['private-key', '', `${dashes}BEGIN OPENSSH PRIVATE KEY${dashes}\n${body(64)}\n${body(64)}`, '(cut off)'],
  ['private-key', '', `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n${body(64)}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`],
  ['aws-access-key-id', 'id ', `AKIAABCDEFGHIJ234567`, ' here'],
  ['aws-access-key-id', '"', `ASIAABCDEFGHIJ234567`, '"'],
  ['github-token', 'https://', `ghp_${body(36)}`, '@github.com'],
  ['github-token', '', `github_pat_${body(82)}`],
  ['gitlab-token', 'x', `glpat-${body(20)}`, ' y'],
  ['slack-token', '', `xoxb-123456789012-${body(24)}`],
  ['slack-token', 'https://', `hooks.slack.com/services/T0/B0/${body(24)}`],
  ['stripe-key', '(', `sk_live_${body(24)}`, ')'],
  ['google-key', '?key=', `AIza${body(35)}`, '&x=1'],
  ['openai-key', ' ', `sk-proj-${body(40)}`],
  ['openai-key', '', `sk-${body(48)}`],
  ['anthropic-key', '', `sk-ant-api03-${body(80)}`],
  ['npm-token', '//registry/:_x=', `npm_${body(36)}`],
  ['jwt', 'cookie=', jwt, '; path=/'],
  ['authorization', 'Authorization: Bearer ', body(12)],
  ['authorization', '{"authorization":"Bearer ', body(12), '"}'],
  ['authorization', "curl -H 'Proxy-Authorization: Basic ", 'dXNlcjpwYXNz', "'"],
  ['authorization', 'headers["Authorization"] = "token ', body(12), '"'],
  ['password', 'DB_PASSWORD=', 'hunter'],
  ['password', '?access_token=', body(12), '&x=1'],
  ['password', '"password": "', 'hunter22', '"'],
  ['password', '{\\"apiKey\\":\\"', 'hunter22', '\\"}'],
  ['password', 'api-key: ', 'hunter22'],
  ['password', "clientSecret = '", 'a\\\'b,c"d', "'"],
  ['password', 'password: "', 'cut-off', '\nnext: line'],
  ['password', 'Password: `', 'hunter22', '`'],
  ['password', 'password => "', 'hunter22', '"'],
  ['password', '<password>', 'hunter', '</password>'],
  ['password', 'Server=x;Pwd=', 'hunter;Timeout=30'],
  ['password', 'AWS_SECRET_ACCESS_KEY=', `${body(30)}/+${body(8)}`],
  ['connection-string', 'postgres://user:', 'hunter22', '@db:5432/x'],
  ['connection-string', 'amqp://:', 'p/ssw?rd', '@host/x'],
  ['connection-string', 'https://user:', 'p%40ss', '@host:8080/a@b'],
]

/** What is none. */
const harmless = [
  `${dashes}BEGIN CERTIFICATE${dashes}\n${body(60)}\n${dashes}END CERTIFICATE${dashes}`,
  `${dashes}BEGIN PUBLIC KEY${dashes}\n${body(60)}\n${dashes}END PUBLIC KEY${dashes}`,
  'AKIA and ghp_ and glpat- and sk_live_ and npm_config_registry',
  `the disk-${body(48)} and task-management-of-many-things`,
  'npm_config_cache_lock_retries_and_so_on_without_end',
  'eyJhbGciOiJ9 and eyJ.eyJ.x',
  'Authorization: Bearer ${token}',
  'Authorization is a header, and Bearer a scheme',
  'the password is what you know; a secret: keep it',
  'password: string',
  'password?: string | undefined',
  'function login(user, password) { return check(password, salt) }',
  'connect(password=password, secret=config.secret)',
  'const password = await prompt.password()',
  'const secret = request.body.secret',
  'PASSWORD=${DB_PASSWORD}',
  'password: "{{ vault.password }}"',
  '<label for="password">Password</label>',
  '"password": "Enter your password"',
  'secret=true',
  'password=<your password>',
  'a secretary: "Jane Smith-Jones"',
  'PWD=/home/ann/work',
  'http://localhost:8080/path@x',
  'http://user@host:8080/',
  'postgres://user:${PASSWORD}@host/x',
  'file:///a:b/c@d',
  'https://[::1]:8080/@x',
]

describe('secretsIn()', () => {
  it.each(secrets.map(([name, ...texts]) => [name, texts] as const))('finds %s in %j', (name, [before, secret, after = '']) => {
    const text = `${before}${secret}${after}`
    expect(secretsIn(text, [knownKind(name)])).toEqual([{ start: before.length, end: before.length + secret.length, name }])
    expect(redacted(text)).not.toContain(secret)
  })

  it.each(harmless)('finds nothing in %j', (text) => {
    expect(redacted(text)).toBe(text)
  })

  it('joins secrets that overlap', () => {
    expect(redacted(`Authorization: Bearer ${jwt} and ${jwt}`)).toBe('Authorization: Bearer [redacted:jwt] and [redacted:jwt]')
    expect(redacted(`password=ghp_${body(36)}`)).toBe('password=[redacted:github-token]')
  })

  it('finds nothing in what it made', () => {
    const once = redacted(secrets.map(([, before, secret, after = '']) => before + secret + after).join('\n'))
    expect(redacted(once)).toBe(once)
  })

  it('finds secrets wherever they are planted, and leaves all else', () => {
    const words = fc.constantFrom('password', '=', ': ', '"', "'", '://', '@', 'eyJ', '.', '-', ' ', '\n', 'é', '😀', 'x', dashes)
    const noise = fc.array(words, { maxLength: 12 }).map((parts) => `${parts.join('')}\n`)
    fc.assert(
      fc.property(noise, noise, fc.constantFrom(...secrets), (first, last, [, before, secret, after = '']) => {
        expect(redacted(`${first}${before}${secret}${after}\n${last}`)).not.toContain(secret)
      }),
      { numRuns: 500 },
    )
  })
})

describe('ownKinds()', () => {
  const own = (pattern: SecretPattern, text: string): string => redacted(text, [...ownKinds([pattern])])

  it('finds texts as they are written', () => {
    expect(own({ name: 'own', text: 'a.b*' }, 'a.b* axb* A.B*')).toBe('[redacted:own] axb* A.B*')
    expect(own({ name: 'own', text: ['aa', 'ü'] }, 'aaa ü')).toBe('[redacted:own]a [redacted:own]')
  })

  it('joins what overlaps in part', () => {
    expect(own({ name: 'own', text: ['abc', 'cde'] }, 'xabcdex')).toBe('x[redacted:own]x')
  })

  it('finds a prefix, and at least so many characters of a set', () => {
    const pattern = { name: 'own', prefix: ['T-', 'T-x'], characters: 'A-F0-9_-', atLeast: 4 }
    expect(own(pattern, 'T-0123 T-012 T-xAAAA T-T-F_-F9g')).toBe('[redacted:own] T-012 [redacted:own] T-[redacted:own]g')
  })

  it.each([
    [{ name: 'Own', text: 'a' }, 'must match [a-z][a-z0-9-]*'],
    [{ name: 'own', text: '' }, '1 to 4096 characters'],
    [{ name: 'own', text: [] }, '1 to 4096 characters'],
    [{ name: 'own', text: /a+/ }, 'regular expressions are not taken'],
    [{ name: 'own', text: 'own' }, 'its own replacement'],
    [{ name: 'own', prefix: 'a', characters: 'é', atLeast: 1 }, 'ASCII characters'],
    [{ name: 'own', prefix: 'a', characters: '', atLeast: 1 }, 'ASCII characters'],
    [{ name: 'own', prefix: 'a', characters: 'a', atLeast: 0 }, 'whole number from 1 on'],
    [{ name: 'own' }, '1 to 4096 characters'],
  ])('refuses %j: %s', (pattern, reason) => {
    expect(() => ownKinds([pattern as SecretPattern])).toThrow(
      expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(reason) as string }),
    )
  })
})

const MIB = 1024 * 1024
const fill = (unit: string, length: number): string =>
  Buffer.from(unit.repeat(Math.ceil(length / unit.length)).slice(0, length)).toString()

/** Text that makes each of them begin again and again, and never come to an end. */
const hostile: readonly (readonly [name: SecretName, ...units: string[]])[] = [
  [
    'private-key',
    `${dashes}BEGIN `,
    `${dashes}BEGIN PRIVATE KEY${dashes}(`,
    `${dashes}BEGIN AAAA `,
    `${dashes}BEGIN PRIVATE KEY${dashes}${dashes}END `,
  ],
  ['aws-access-key-id', 'AKIA', 'AKIA0', `AKIA${'A'.repeat(11)}-`],
  ['github-token', 'ghp_', 'ghp_-', `ghp_${'a'.repeat(29)} `],
  ['gitlab-token', 'glpat-', 'glpat-/', `glpat-${'a'.repeat(19)}/`],
  ['slack-token', 'xoxb-', 'xoxb-!', 'hooks.slack.com/services/!'],
  ['stripe-key', 'sk_live_', 'whsec_-', `sk_live_${'a'.repeat(15)}_`],
  ['google-key', 'AIza', 'AIza!', `AIza${'a'.repeat(23)}!`],
  ['openai-key', 'sk-', 'xsk-proj-', `sk-${'a'.repeat(39)}_`, 'sk-proj-!'],
  ['anthropic-key', 'sk-ant-', 'sk-ant-!', `sk-ant-${'a'.repeat(19)}!`],
  ['npm-token', 'npm_', `npm_${'a'.repeat(35)}_`],
  ['jwt', 'eyJ', 'eyJeyJeyJeyJ.', 'eyJaaaaaaaaaaaa.eyJaaaaaaaaaaaaa ', 'eyJ.eyJ.'],
  ['authorization', 'authorization', 'authorization: bearer ', `authorization${' '.repeat(15)}bearer`],
  [
    'password',
    'password',
    'password=',
    'password="',
    `password="password='password=\``,
    'password=\\"',
    'password="\\"',
    'password: ',
    'password=f(',
    'password:a.',
    `password${' '.repeat(8)}`,
    'password_',
    '<password>',
    'secret-',
  ],
  ['connection-string', '://', '://a:b', '://a:b/', 'x://:@', '://a:/x', ':'],
]

/** Milliseconds for one run, the least of two: noise only adds. What is too fast to tell counts as half of one. */
function cost(run: () => void): number {
  let least = Infinity
  for (let i = 0; i < 2; i++) {
    const start = performance.now()
    run()
    least = Math.min(least, performance.now() - start)
  }
  return least + 0.5
}

/** Of 1 and of 4 MiB. */
function expectLinear(unit: string, { scan }: SecretKind): void {
  const [least, most] = [1, 4].map((times) => {
    const text = fill(unit, times * MIB)
    return cost(() => scan(text, () => undefined))
  })
  expect(most! / least!).toBeLessThan(10)
}

// A quadratic step shows as a ratio of 16 every time; a busy machine does not, so a test may be tried again.
describe('four times the text costs less than ten times as much', { retry: 3, timeout: 60_000 }, () => {
  const scans = hostile.flatMap(([name, ...units]) => units.map((unit) => [name, unit, knownKind(name)] as const))
  it.each(scans)('of %s, in %j', (_name, unit, kind) => {
    expectLinear(unit, kind)
  })

  it.each([
    ['a text', { name: 'own', text: `${'a'.repeat(63)}b` }, 'a'],
    ['a prefix', { name: 'own', prefix: 'a', characters: 'a', atLeast: 4_000 }, `${'a'.repeat(3_999)}-`],
  ] as const)('of %s of one’s own', (_, pattern, unit) => {
    expectLinear(unit, ownKinds([pattern])[0]!)
  })
})

it('hostile texts are there for every kind', () => {
  expect(hostile.map(([name]) => name)).toEqual(SECRET_NAMES)
})
