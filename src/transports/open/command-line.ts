import { ShelfError } from '../../errors.ts'
import { hasHidden } from './printable.ts'

/** The characters that a backslash escapes inside double quotes; before others it stands for itself (POSIX sh 2.2.3). */
const ESCAPED = '$`"\\\n'

/** Words of these alone need no quotes in any shell. */
const BARE = /^[A-Za-z0-9_@%+=:,./-]+$/

/**
 * Splits a command line into its words as a POSIX shell does with quotes (sh 2.2): single quotes keep everything,
 * double quotes let a backslash escape ``$ ` " \`` and a line end, outside of both it escapes any character. Nothing
 * else is special: no variables, no globbing, no operators, no comments. Words are parted by spaces, tabs and line ends.
 *
 * @throws ShelfError `invalid-option` for a quote without its partner, a backslash at the end and NUL, with the offset
 */
export function splitCommand(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '\0') throw fault('has a NUL character', at)
    if (' \t\n\r'.includes(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (char === "'") {
      const end = text.indexOf("'", at + 1)
      if (end < 0) throw fault('has a single quote without its partner', at)
      word = (word ?? '') + withoutNul(text, at + 1, end)
      at = end
    } else if (char === '"') {
      const quoted = readDoubleQuoted(text, at)
      word = (word ?? '') + quoted.text
      at = quoted.end
    } else if (char === '\\') {
      const next = text.charAt(++at)
      if (next === '') throw fault('ends in a backslash that escapes nothing', at - 1)
      if (next === '\0') throw fault('has a NUL character', at)
      if (next !== '\n') word = (word ?? '') + next
    } else {
      word = (word ?? '') + char
    }
  }
  if (word !== undefined) words.push(word)
  return words
}

function readDoubleQuoted(text: string, start: number): { text: string; end: number } {
  let quoted = ''
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '"') return { text: quoted, end: at }
    if (char === '\0') throw fault('has a NUL character', at)
    const next = text.charAt(at + 1)
    if (char === '\\' && next !== '' && ESCAPED.includes(next)) {
      if (next !== '\n') quoted += next
      at++
    } else {
      quoted += char
    }
  }
  throw fault('has a double quote without its partner', start)
}

function withoutNul(text: string, start: number, end: number): string {
  const part = text.slice(start, end)
  const nul = part.indexOf('\0')
  if (nul >= 0) throw fault('has a NUL character', start + nul)
  return part
}

function fault(what: string, offset: number): ShelfError {
  return new ShelfError('invalid-option', `The command ${what} at offset ${offset}`, { option: 'server' })
}

/** The words as one command line: the inverse of `splitCommand`, and what a POSIX shell reads back as the same words. */
export function formatCommand(argv: readonly string[]): string {
  return argv.map((word) => (BARE.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(' ')
}

/**
 * The words as one line for a person: as `formatCommand`, but a word with control characters, line ends or
 * bidirectional marks is written `$'...'` with escapes, as bash and zsh read it. A word can so hide nothing.
 */
export function showCommand(argv: readonly string[]): string {
  return argv.map((word) => (hasHidden(word) ? `$'${word.replace(/./gsu, escapeChar)}'` : formatCommand([word]))).join(' ')
}

function escapeChar(char: string): string {
  if (char === "'" || char === '\\') return `\\${char}`
  if (char === '\n') return String.raw`\n`
  if (!hasHidden(char)) return char
  const code = (char.codePointAt(0) ?? 0).toString(16)
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
}
