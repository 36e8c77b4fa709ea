import { matchesGlob, parseGlob } from './gitignore-glob.ts'
import type { Glob } from './gitignore-glob.ts'

/**
 * One line of a `.gitignore` file (gitignore(5)). Written here and not taken from a package because the files come
 * with the folder and are not trusted: a package that turns lines into regular expressions needs 43 ms for one
 * line with four double stars on a path of 60 parts, and twelve times more for each further one.
 */
export interface IgnorePattern {
  /** `!line`: takes back what an earlier line left out. */
  readonly negated: boolean
  /** `line/`: directories only. */
  readonly directory: boolean
  /** Parts of a line with a slash in it, which starts at the file's own folder; a name to be met at any depth otherwise. */
  readonly parts: readonly (Glob | typeof DEEP)[]
  readonly anchored: boolean
}

const DEEP = Symbol('**')

/** The lines of one file, in order; comments, empty lines and lines that can match nothing are gone. */
export function parseIgnoreFile(text: string): readonly IgnorePattern[] {
  const patterns = []
  for (const line of text.replace(/^\ufeff/, '').split('\n')) {
    const pattern = parseLine(line.endsWith('\r') ? line.slice(0, -1) : line)
    if (pattern !== undefined) patterns.push(pattern)
  }
  return patterns
}

function parseLine(line: string): IgnorePattern | undefined {
  if (line.startsWith('#')) return undefined
  let text = trimSpaces(line)
  const negated = text.startsWith('!')
  if (negated) text = text.slice(1)
  const directory = text.endsWith('/')
  if (directory) text = text.slice(0, -1)
  if (text === '') return undefined
  const anchored = text.includes('/')
  const parts: (Glob | typeof DEEP)[] = []
  for (const part of (text.startsWith('/') ? text.slice(1) : text).split('/')) {
    if (part === '**' && anchored) {
      if (parts.at(-1) !== DEEP) parts.push(DEEP)
      continue
    }
    const glob = parseGlob(part)
    if (glob === undefined) return undefined
    parts.push(glob)
  }
  return { negated, directory, parts, anchored }
}

/** Trailing spaces do not count, unless a backslash stands before them. */
function trimSpaces(line: string): string {
  let end = line.length
  while (end > 0 && line[end - 1] === ' ') {
    let slashes = 0
    while (line[end - 2 - slashes] === '\\') slashes++
    if (slashes % 2 === 1) break
    end--
  }
  return line.slice(0, end)
}

/** Whether a pattern names the path `parts[from..]`, seen from its file's own folder. */
export function matchesPattern(pattern: IgnorePattern, parts: readonly string[], from: number, directory: boolean): boolean {
  if (pattern.directory && !directory) return false
  if (!pattern.anchored) return matchesPart(pattern.parts[0], parts.at(-1))
  let at = from
  let next = 0
  let deep = -1
  let retry = 0
  while (at < parts.length) {
    const expected = pattern.parts[next]
    if (expected === DEEP) {
      if (next === pattern.parts.length - 1) return true
      deep = next++
      retry = at
    } else if (matchesPart(expected, parts[at])) {
      next++
      at++
    } else if (deep !== -1) {
      next = deep + 1
      at = ++retry
    } else return false
  }
  return next === pattern.parts.length
}

function matchesPart(expected: Glob | typeof DEEP | undefined, name: string | undefined): boolean {
  return expected !== undefined && expected !== DEEP && name !== undefined && matchesGlob(expected, name)
}
