import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser } from 'yaml'
import type { Document, Node } from 'yaml'
import type { ConfigPath, Mistake, Place } from './mistake.ts'
import { Mistakes } from './mistake.ts'

/** Collections in collections. The library descends by recursion, and runs out of stack at some thousands. */
const MOST_OPEN = 100
/** Pieces of text that the lexer tells apart: so many take it a third of a second. */
const MOST_PIECES = 100_000
/** Values, each counted as often as aliases repeat it. */
const MOST_VALUES = 50_000

/** A document, and where its parts are. */
export interface ParsedYaml {
  /** Made of plain objects, lists, text, numbers, booleans and null. */
  readonly value: unknown
  /** Where a value stands, or else what it would be part of. */
  readonly placeOf: (path: ConfigPath) => Place
  /** Where the key of a value stands. */
  readonly keyPlaceOf: (path: ConfigPath) => Place
}

/**
 * Parses one document of YAML 1.2, which JSON is too. No tags but those of the core schema, no key twice, none that is not
 * text; aliases are followed as long as the whole stays small.
 *
 * @throws Mistakes saying where and what
 */
export function parseYaml(text: string): ParsedYaml {
  const lines = new LineCounter()
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const refused = (offset: number, message: string, path: ConfigPath = []): Mistakes =>
    new Mistakes([{ place: place(offset), path, message }])
  const document = composed(text, lines, refused)
  return new Walk(document, place).parsed()
}

/** The document as a tree of the library's, of a size that is known. */
function composed(text: string, lines: LineCounter, refused: (offset: number, message: string) => Mistakes): Document.Parsed {
  // Where the first line begins, too, is told to whom it may concern by `parse` alone.
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  const tokens = []
  let pieces = 0
  for (const piece of new Lexer().lex(text)) {
    for (const token of parser.next(piece)) tokens.push(token)
    if (parser.stack.length > MOST_OPEN) throw refused(parser.offset, 'is nested too deep')
    if (++pieces > MOST_PIECES) throw refused(parser.offset, `has more than ${MOST_PIECES} parts`)
  }
  for (const token of parser.end()) tokens.push(token)
  // Keys that are there twice are looked for below: the library compares each with each.
  const composer = new Composer({ version: '1.2', schema: 'core', uniqueKeys: false, prettyErrors: false, logLevel: 'silent' })
  const [document, second] = [...composer.compose(tokens, true, text.length)]
  const fault = document?.errors[0] ?? document?.warnings[0]
  if (fault !== undefined) throw refused(fault.pos[0], `is no YAML: ${fault.message}`)
  if (second !== undefined) throw refused(second.range[0], 'is one document, and a second begins here')
  if (document === undefined || isNothing(document.contents)) throw refused(0, 'is empty')
  return document
}

function isNothing(contents: unknown): boolean {
  return contents === null || (isScalar(contents) && contents.value === null)
}

/** What is known of a value beside itself. */
interface Spot {
  readonly offset: number
  readonly keyOffset: number
}

/** One walk through a document. */
class Walk {
  readonly #document: Document.Parsed
  readonly #place: (offset: number) => Place
  readonly #mistakes: Mistake[] = []
  readonly #spots = new Map<string, Spot>()
  readonly #anchors = new Map<string, Node>()
  /** What is being walked through, against an alias of itself. */
  readonly #open = new Set<Node>()
  #values = 0

  constructor(document: Document.Parsed, place: (offset: number) => Place) {
    this.#document = document
    this.#place = place
  }

  parsed(): ParsedYaml {
    const value = this.#value(this.#document.contents, [], 0)
    if (this.#mistakes.length > 0) throw new Mistakes(this.#mistakes)
    const spotOf = (path: ConfigPath): Spot => {
      for (let length = path.length; length >= 0; length--) {
        const spot = this.#spots.get(JSON.stringify(path.slice(0, length)))
        if (spot !== undefined) return spot
      }
      return { offset: 0, keyOffset: 0 }
    }
    return {
      value,
      placeOf: (path) => this.#place(spotOf(path).offset),
      keyPlaceOf: (path) => this.#place(spotOf(path).keyOffset),
    }
  }

  #value(node: unknown, path: ConfigPath, keyOffset: number): unknown {
    if (++this.#values > MOST_VALUES) {
      throw new Mistakes([{ place: this.#place(keyOffset), path, message: `holds more than ${MOST_VALUES} values` }])
    }
    const offset = offsetOf(node) ?? keyOffset
    this.#spots.set(JSON.stringify(path), { offset, keyOffset })
    if (isAlias(node)) return this.#aliased(node.source, offset, path, keyOffset)
    if (isScalar(node) || isMap(node) || isSeq(node)) {
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
      if (node.tag !== undefined) return this.#refuse(offset, path, `has a tag, ${node.tag}: leave it out`)
    }
    if (isScalar(node)) return node.value
    if (isSeq(node)) return this.#inside(node, () => node.items.map((item, i) => this.#value(item, [...path, i], offset)))
    if (isMap(node)) return this.#inside(node, () => this.#object(node, path, offset))
    return null
  }

  #object(node: { readonly items: readonly { key: unknown; value: unknown }[] }, path: ConfigPath, offset: number): unknown {
    const object: Record<string, unknown> = {}
    for (const { key, value } of node.items) {
      const at = offsetOf(key) ?? offset
      const name = isScalar(key) ? key.value : undefined
      if (typeof name !== 'string') this.#refuse(at, path, 'has a key that is no text: put it in quotes')
      else if (name === '__proto__') this.#refuse(at, [...path, name], 'there is no such key')
      else if (Object.hasOwn(object, name)) this.#refuse(at, [...path, name], 'is there twice')
      else object[name] = this.#value(value, [...path, name], at)
    }
    return object
  }

  #aliased(name: string, offset: number, path: ConfigPath, keyOffset: number): unknown {
    const node = this.#anchors.get(name)
    if (node === undefined) return this.#refuse(offset, path, `is an alias of *${name}, which is not there before it`)
    if (this.#open.has(node)) return this.#refuse(offset, path, `is an alias of *${name}, which it is part of`)
    return this.#value(node, path, keyOffset)
  }

  #inside<T>(node: Node, walk: () => T): T {
    this.#open.add(node)
    const value = walk()
    this.#open.delete(node)
    return value
  }

  #refuse(offset: number, path: ConfigPath, message: string): undefined {
    this.#mistakes.push({ place: this.#place(offset), path, message })
  }
}

function offsetOf(node: unknown): number | undefined {
  if (!isScalar(node) && !isMap(node) && !isSeq(node) && !isAlias(node)) return undefined
  return node.range?.[0]
}
