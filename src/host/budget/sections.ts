import type { Kind } from '../kinds/index.ts'
import { KINDS } from '../kinds/index.ts'
import { cut } from '../text/index.ts'

/** Where something begins that has a name: a heading, a function, a key. */
export interface Section {
  /** In UTF-16 units of the whole text. */
  readonly start: number
  /** 1 for what contains the others. */
  readonly level: number
  readonly title: string
}

/** A longer line has no heading that anybody wants to see. */
const LONGEST_LINE = 400
const LONGEST_TITLE = 120
const MOST_SECTIONS = 5_000

const HEADING = /^(#{1,6})\s+(\S.*)$/s
const FENCE = /^\s{0,3}(?:```|~~~)/
const MARKUP_HEADING = /<h([1-6])\b[^>]{0,200}>(.*?)(?:<\/h[1-6]>|$)/i
const SYMBOL =
  /^(?:export |default |public |private |protected |internal |static |final |abstract |async |pub(?:\([a-z]+\))? |unsafe |override |open |sealed |declare |@\w+ )*(?:function\b|class\b|interface\b|type\b|enum\b|struct\b|trait\b|impl\b|mod\b|module\b|namespace\b|package\b|def\b|fn\b|func\b|fun\b|sub\b|proc\b|const\b|let\b|var\b|val\b|object\b|record\b|union\b|macro_rules!|create\b|alter\b)/i
const MEMBER =
  /^[ \t]{1,4}(?:export |public |private |protected |static |final |abstract |async |pub |override |get |set )*(?:def|fn|func|fun|function)\b/
const KEY = /^(\s{0,2})(?:\[([^\]]+)\]|"([^"]{1,100})"\s*:|([\w.-]{1,100})\s*[:=])/

/** The sections of a text of some kind, in their order; none where nothing names any. One look at each line. */
export function sectionsOf(text: string, kind: Kind): readonly Section[] {
  const { outline } = KINDS[kind]
  if (outline === 'none' || outline === 'columns') return []
  const find = outline === 'headings' ? (kind === 'xml' ? markupHeading : headings()) : outline === 'symbols' ? symbol : key
  const found: Section[] = []
  for (let start = 0; start < text.length && found.length < MOST_SECTIONS;) {
    const end = endOfLine(text, start)
    if (end - start <= LONGEST_LINE) {
      const section = find(text.slice(start, end))
      if (section !== undefined) found.push({ start, level: section.level, title: shortened(section.title) })
    }
    start = end + 1
  }
  return found
}

export function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return end < 0 ? text.length : end
}

type Found = { readonly level: number; readonly title: string } | undefined

/** Headings of Markdown, but for what stands in a block of code. */
function headings(): (line: string) => Found {
  let fenced = false
  return (line) => {
    if (FENCE.test(line)) fenced = !fenced
    const match = fenced ? null : HEADING.exec(line.trimEnd())
    return match === null ? undefined : { level: match[1]!.length, title: withoutClosing(match[2]!) }
  }
}

/** Hashes that close a heading stand behind a blank (CommonMark 0.31, section 4.2): `C#` is a name. */
function withoutClosing(title: string): string {
  let end = title.length
  while (title[end - 1] === '#') end--
  return /\s/.test(title.charAt(end - 1)) ? title.slice(0, end).trimEnd() : title
}

function markupHeading(line: string): Found {
  const match = MARKUP_HEADING.exec(line)
  const title = match?.[2]?.replace(/<[^>]*>/g, '').trim()
  return match === null || !title ? undefined : { level: Number(match[1]), title }
}

function symbol(line: string): Found {
  if (SYMBOL.test(line)) return { level: 1, title: line.trim() }
  return MEMBER.test(line) ? { level: 2, title: line.trim() } : undefined
}

function key(line: string): Found {
  const match = KEY.exec(line)
  if (match === null) return undefined
  const [, indent = '', table, quoted, bare] = match
  return { level: indent === '' ? 1 : 2, title: table === undefined ? (quoted ?? bare ?? '') : `[${table}]` }
}

function shortened(title: string): string {
  return cut(title, LONGEST_TITLE)
}
