import { ShelfError } from '../../errors.ts'
import type { Template } from '../../uri/index.ts'
import { matchTemplate, parseTemplate } from '../../uri/index.ts'
import { covers, normalPrefix } from '../mounts.ts'
import type { ReadPath } from './read-path.ts'
import { headOf, plainPiece, plainText } from './read-path.ts'

/** Which URIs a rule is about. */
export interface AccessPattern {
  /** The URI as it is written, and nothing else: what is allowed. */
  is(path: ReadPath): boolean
  /** As it is written or as it may be understood: what is denied. */
  mayBe(path: ReadPath): boolean
  /** Whether anything that begins with this text is in it. */
  meets(prefix: string): boolean
  /** Whether all that begins with this text is in it. */
  holds(prefix: string): boolean
  /** What all of it begins with. */
  readonly literal: string
}

const everything: AccessPattern = { is: () => true, mayBe: () => true, meets: () => true, holds: () => true, literal: '' }

/**
 * A pattern of a rule: `any`, a literal prefix as providers claim them, or a URI template.
 *
 * @throws ShelfError `invalid-option` for text with which no URI begins, with a query, a fragment or a segment `.` or
 *   `..`; `invalid-template`
 */
export function accessPattern(text: string): AccessPattern {
  if (text === 'any') return everything
  if (typeof text !== 'string') throw refused(String(text), 'is no text')
  return text.includes('{') ? templatePattern(text) : prefixPattern(text)
}

function prefixPattern(text: string): AccessPattern {
  if (text.includes('?') || text.includes('#')) throw refused(text, 'has a query or fragment: whatever follows is covered anyway')
  const normal = normalPrefix('An access rule names', text, 'rules')
  if (normal.split('/').some((segment) => segment === '.' || segment === '..')) throw refused(text, 'has a dot segment')
  return new PrefixPattern(headOf(normal) ?? normal)
}

class PrefixPattern implements AccessPattern {
  readonly literal: string
  readonly #last: number
  readonly #plain: string
  readonly #isPlain: boolean

  constructor(prefix: string) {
    this.literal = prefix
    this.#last = prefix.charCodeAt(prefix.length - 1)
    this.#plain = plainText(prefix)
    this.#isPlain = this.#plain === prefix
  }

  is({ written }: ReadPath): boolean {
    const { literal } = this
    // Most URIs differ there already, which is seen in a tenth of the time.
    return written.charCodeAt(literal.length - 1) === this.#last && covers(literal, written)
  }

  mayBe(path: ReadPath): boolean {
    if (this.is(path)) return true
    const { written, plain } = path
    if (plain === written && this.#isPlain) return false
    return covers(this.#plain, plain) || covers(this.#plain, written) || covers(this.literal, plain)
  }

  meets(start: string): boolean {
    return covers(this.literal, start) || this.literal.startsWith(start)
  }

  holds(start: string): boolean {
    // What comes next, any letter, decides whether a prefix without a slash at its end goes on.
    return this.literal.length <= start.length && covers(this.literal, `${start}x`)
  }
}

function templatePattern(text: string): AccessPattern {
  const template = headTemplate(text)
  matchTemplate(template, 'x:')
  return new TemplatePattern(template)
}

class TemplatePattern implements AccessPattern {
  readonly literal: string
  readonly #last: number
  readonly #template: Template
  readonly #plain: Template
  readonly #plainLiteral: string
  readonly #isPlain: boolean

  constructor(template: Template) {
    this.literal = headOf(literalOf(template)) ?? ''
    this.#last = this.literal.charCodeAt(this.literal.length - 1)
    this.#template = template
    this.#plain = plainTemplate(template)
    this.#plainLiteral = plainText(this.literal)
    this.#isPlain = this.#plain.text === template.text
  }

  is(path: ReadPath): boolean {
    return this.#isNear(path) && matches(this.#template, path.written)
  }

  mayBe(path: ReadPath): boolean {
    const { written, plain, isText } = path
    const isNear = this.#isNear(path)
    const isOdd = plain !== written || !this.#isPlain
    if (!isNear && !isOdd) return false
    const isPlainNear = plain.startsWith(this.#plainLiteral)
    // A template matches no value that is not text, and its source may take it all the same.
    if (!isText && (isNear || isPlainNear)) return true
    if (isNear && matches(this.#template, written)) return true
    return isOdd && isPlainNear && matches(this.#plain, plain)
  }

  meets(start: string): boolean {
    return this.literal.startsWith(start) || start.startsWith(this.literal)
  }

  holds(): boolean {
    return false
  }

  #isNear({ written }: ReadPath): boolean {
    const { literal } = this
    return written.charCodeAt(literal.length - 1) === this.#last && written.startsWith(literal)
  }
}

function matches(template: Template, uri: string): boolean {
  return matchTemplate(template, uri) !== undefined
}

/** A template without what may follow the path; a rule is about whatever query and fragment come after it. */
function headTemplate(text: string): Template {
  const { parts } = parseTemplate(text)
  const end = parts.findIndex((part) => part.kind === 'expression' && '?&#'.includes(part.operator) && part.operator !== '')
  const head = end < 0 ? parts : parts.slice(0, end)
  for (const part of parts) {
    if (part.kind === 'literal' ? part.text.includes('?') || part.text.includes('#') : part.operator === ';')
      throw refused(text, 'has a query, fragment or matrix parameters of its own: whatever follows is covered anyway')
  }
  return { text: end < 0 ? text : text.slice(0, parts[end]!.offset), parts: head }
}

function literalOf({ parts }: Template): string {
  const [first] = parts
  return first?.kind === 'literal' ? first.text : ''
}

/** The template with its literals as they may be understood. */
function plainTemplate(template: Template): Template {
  const { text, parts } = template
  const pieces = parts.map((part, i) => {
    const piece = text.slice(part.offset, parts[i + 1]?.offset ?? text.length)
    if (part.kind === 'expression') return piece
    return i === 0 ? plainText(headOf(piece) ?? piece) : plainPiece(piece)
  })
  const plain = parseTemplate(pieces.join(''))
  matchTemplate(plain, 'x:')
  return plain
}

function refused(text: string, why: string): ShelfError {
  return new ShelfError('invalid-option', `An access rule names ${JSON.stringify(text)}, which ${why}`, { option: 'rules' })
}
