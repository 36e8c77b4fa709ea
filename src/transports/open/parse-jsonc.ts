import { printParseErrorCode, visit } from 'jsonc-parser'
import { ShelfError } from '../../errors.ts'

/** A value of a configuration file. Objects are Maps: a key such as `__proto__` is then a key like any other. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = ReadonlyMap<string, Json>

export interface ParsedJson {
  readonly value: Json
  /** Keys that an object has twice, as paths from the top. The last one counts, as in `JSON.parse`. */
  readonly repeated: readonly (readonly (string | number)[])[]
}

/** No host nests its configuration deeper than a dozen levels; the parser would run out of stack at some thousands. */
const MAX_DEPTH = 100

/** By the parser's own names for them: its numbers are a const enum, which a module of its own cannot see. */
const FAULTS: Readonly<Record<string, string>> = {
  InvalidNumberFormat: 'a number is not valid',
  PropertyNameExpected: 'a name in double quotes is wanted',
  ValueExpected: 'a value is wanted',
  ColonExpected: 'a colon is wanted',
  CommaExpected: 'a comma is wanted',
  CloseBraceExpected: 'a closing brace is wanted',
  CloseBracketExpected: 'a closing bracket is wanted',
  EndOfFileExpected: 'the end of the file is wanted',
  UnexpectedEndOfComment: 'a comment has no end',
  UnexpectedEndOfString: 'a string has no end on its line',
  InvalidUnicode: 'a unicode escape is not valid',
  InvalidEscapeCharacter: 'an escape is not valid',
  InvalidCharacter: 'a control character stands in a string',
}

/**
 * Parses JSON with comments and trailing commas, as VS Code's "JSON with Comments" has them.
 *
 * @param where begins the message: the file
 * @throws ShelfError `parse-error` with line and column, both from 1, and never a piece of the text, which may be secret
 */
export function parseJsonc(text: string, where: string): ParsedJson {
  const open: { readonly container: Json[] | Map<string, Json>; key: string }[] = []
  const repeated: (readonly (string | number)[])[] = []
  let top: Json = null
  const put = (value: Json): void => {
    const last = open.at(-1)
    if (last === undefined) top = value
    else if (Array.isArray(last.container)) last.container.push(value)
    else last.container.set(last.key, value)
  }
  const fail = (what: string, line: number, column: number): never => {
    throw new ShelfError('parse-error', `${where}:${line + 1}:${column + 1} is no JSON: ${what}`, {})
  }
  const begin = (container: Json[] | Map<string, Json>, line: number, column: number): void => {
    if (open.length === MAX_DEPTH) fail(`nested deeper than ${MAX_DEPTH} levels`, line, column)
    put(container)
    open.push({ container, key: '' })
  }
  visit(
    text,
    {
      onObjectBegin: (_offset, _length, line, column) => begin(new Map(), line, column),
      onArrayBegin: (_offset, _length, line, column) => begin([], line, column),
      onObjectEnd: () => void open.pop(),
      onArrayEnd: () => void open.pop(),
      onObjectProperty: (key, _offset, _length, _line, _column, path) => {
        const last = open.at(-1)
        if (last === undefined || Array.isArray(last.container)) return
        if (last.container.has(key)) repeated.push([...path(), key])
        last.key = key
      },
      onLiteralValue: (value: null | boolean | number | string) => put(value),
      onError: (error, _offset, _length, line, column) =>
        fail(FAULTS[printParseErrorCode(error)] ?? 'a character is out of place', line, column),
    },
    { allowTrailingComma: true },
  )
  return { value: top, repeated }
}
