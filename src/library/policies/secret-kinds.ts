import { ShelfError } from '../../errors.ts'
import { CharacterSet } from './character-set.ts'
import { requireCount } from './limit-option.ts'
import { scanAssignments, scanAuthorization } from './secret-assignments.ts'
import { scanPrivateKeys } from './secret-blocks.ts'
import type { SecretKind, SecretScan } from './secret-span.ts'
import { redactionOf } from './secret-span.ts'
import { literally, scanJwt, tokenScan } from './secret-tokens.ts'
import { scanUrlPasswords } from './secret-urls.ts'

const LETTERS = new CharacterSet('A-Za-z0-9')
const WORD = new CharacterSet('A-Za-z0-9_-')
const UPPER = new CharacterSet('A-Z0-9')

const SCANS = {
  'private-key': scanPrivateKeys,
  'aws-access-key-id': tokenScan({ begin: /A(?:KIA|SIA|BIA|CCA)/g, characters: UPPER, atLeast: 16 }),
  'github-token': tokenScan({ begin: /gh[opusr]_|github_pat_/g, characters: new CharacterSet('A-Za-z0-9_'), atLeast: 30 }),
  'gitlab-token': tokenScan({
    begin: /gl(?:pat|dt|rt|ptt|cbt|oas|soat|agent|imt|ft|ffct)-/g,
    characters: new CharacterSet('A-Za-z0-9_.-'),
    atLeast: 20,
  }),
  'slack-token': tokenScan({
    begin: /xox[a-z]-|xapp-|hooks\.slack\.com\/(?:services|workflows)\//g,
    characters: new CharacterSet('A-Za-z0-9%/+=_-'),
    atLeast: 10,
  }),
  'stripe-key': tokenScan({ begin: /[sr]k_(?:live|test)_|whsec_/g, characters: LETTERS, atLeast: 16 }),
  'google-key': tokenScan({ begin: /AIza|GOCSPX-|ya29\./g, characters: new CharacterSet('A-Za-z0-9_.-'), atLeast: 24 }),
  'openai-key': tokenScan({
    begin: /sk-(?:proj|svcacct|admin)-|sk-(?=[A-Za-z0-9]{40})/g,
    characters: WORD,
    atLeast: 20,
    wordStart: true,
  }),
  'anthropic-key': tokenScan({ begin: /sk-ant-/g, characters: WORD, atLeast: 20 }),
  'npm-token': tokenScan({ begin: /npm_/g, characters: LETTERS, atLeast: 36 }),
  jwt: scanJwt,
  authorization: scanAuthorization,
  password: scanAssignments,
  'connection-string': scanUrlPasswords,
} as const satisfies { readonly [name: string]: SecretScan }

/** A kind of secret that is known. */
export type SecretName = keyof typeof SCANS

/** A secret of one's own. */
export type SecretPattern = {
  /** What stands in its place, as `[redacted:<name>]`: `[a-z][a-z0-9-]*`, at most 64 characters. */
  readonly name: string
} & (
  | {
      /** The secret itself, or several; upper and lower case are told apart. */
      readonly text: string | readonly string[]
    }
  | {
      /** What it begins with, or several beginnings. */
      readonly prefix: string | readonly string[]
      /** What follows: ASCII characters and ranges of them, for example `A-Za-z0-9_-`. */
      readonly characters: string
      /** How many of them there are at least; all that follow belong to it. */
      readonly atLeast: number
    }
)

/** Patterns and texts of them that one policy takes. */
const MOST_PATTERNS = 1_000
/** The longest of those texts, in UTF-16 units. */
const LONGEST_TEXT = 4_096
const NAME = /^[a-z][a-z0-9-]{0,63}$/

/** @throws ShelfError `invalid-option` for a name that is not known */
export function knownKind(name: SecretName): SecretKind {
  if (Object.hasOwn(SCANS, name)) return { name, scan: SCANS[name] }
  throw invalid('known', `redact: "known" takes names of ${Object.keys(SCANS).join(', ')}; got ${JSON.stringify(name)}`)
}

/** The names of all that is known. */
export const SECRET_NAMES = Object.keys(SCANS) as readonly SecretName[]

/** @throws ShelfError `invalid-option` for what is no pattern, saying why */
export function ownKinds(patterns: readonly SecretPattern[]): readonly SecretKind[] {
  if (patterns.length > MOST_PATTERNS)
    throw invalid('patterns', `redact: at most ${MOST_PATTERNS} "patterns", got ${patterns.length}`)
  return patterns.map((pattern): SecretKind => {
    const { name } = pattern
    if (typeof name !== 'string' || !NAME.test(name)) {
      throw invalid('patterns', `redact: a pattern's "name" must match [a-z][a-z0-9-]*, got ${JSON.stringify(name)}`)
    }
    if (!('prefix' in pattern)) {
      const texts = textsOf(name, 'text', pattern.text)
      if (!texts.some((text) => redactionOf(name).includes(text))) return { name, scan: textScan(texts) }
      throw invalid('patterns', `redact: a "text" of ${name} is part of its own replacement, ${redactionOf(name)}`)
    }
    const begin = anyOf(textsOf(name, 'prefix', pattern.prefix))
    const atLeast = requireCount('atLeast', pattern.atLeast, 1)
    return { name, scan: tokenScan({ begin, characters: charactersOf(name, pattern.characters), atLeast }) }
  })
}

/** A regular expression would do more, and take a time that no one can bound for whoever wrote it. */
function textsOf(name: string, option: string, given: string | readonly string[]): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(given) ? given : [given]
  const fault =
    texts.length === 0 ||
    texts.length > MOST_PATTERNS ||
    texts.some((text) => typeof text !== 'string' || text === '' || text.length > LONGEST_TEXT)
  if (!fault) return texts as readonly string[]
  throw invalid(
    'patterns',
    `redact: "${option}" of ${name} takes a text of 1 to ${LONGEST_TEXT} characters, or several; regular expressions are not taken`,
  )
}

function charactersOf(name: string, characters: unknown): CharacterSet {
  if (typeof characters === 'string' && /^[\x20-\x7e]{1,128}$/.test(characters)) return new CharacterSet(characters)
  throw invalid('patterns', `redact: "characters" of ${name} takes ASCII characters and ranges of them, for example A-Za-z0-9_-`)
}

/** Any of these texts, the longest first. */
function anyOf(texts: readonly string[]): RegExp {
  return new RegExp(
    texts
      .toSorted((a, b) => b.length - a.length)
      .map(literally)
      .join('|'),
    'g',
  )
}

function textScan(texts: readonly string[]): SecretScan {
  return (text, found) => {
    for (const secret of texts) {
      for (let start = text.indexOf(secret); start >= 0; start = text.indexOf(secret, start + secret.length))
        found(start, start + secret.length)
    }
  }
}

function invalid(option: string, message: string): ShelfError {
  return new ShelfError('invalid-option', message, { option })
}
