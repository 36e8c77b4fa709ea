import { requireCount } from '../../library/index.ts'
import type { Kind } from '../kinds/index.ts'
import { endOfPrefix } from './end-of-prefix.ts'
import { endOfLine, sectionsOf } from './sections.ts'

/** A piece of a text, as it stands there. */
export interface Part {
  readonly text: string
  /** Where it begins and ends, in UTF-16 units of the whole text. */
  readonly start: number
  readonly end: number
  /** What the section is called that it is of. */
  readonly title?: string
}

export interface PartOptions {
  /** What a part has at most, in UTF-16 units. Default 2,000. */
  readonly longest?: number
  /** Sections that are shorter together are one part. Default a quarter of `longest`. */
  readonly shortest?: number
}

/**
 * Cuts a text where its kind has seams: at headings, functions, keys or rows; longer ones between paragraphs, then lines,
 * then words, and never inside of a character. The parts in their order are the whole text.
 *
 * @throws ShelfError `invalid-option` for lengths that are no whole numbers: `longest` from 1 on, `shortest` from 0
 */
export function partsOf(text: string, kind: Kind, options: PartOptions = {}): readonly Part[] {
  const longest = requireCount('longest', options.longest ?? 2_000, 1)
  const shortest = requireCount('shortest', options.shortest ?? Math.floor(longest / 4), 0)
  const parts: Part[] = []
  let start = 0
  let title: string | undefined
  const add = (end: number): void => {
    for (const cut of cuts(text, start, end, longest)) {
      parts.push({ text: text.slice(start, cut), start, end: cut, ...(title !== undefined && { title }) })
      start = cut
    }
  }
  for (const section of sectionsOf(text, kind)) {
    // What is short stays with what follows it, so that a heading is not alone.
    if (section.start - start < Math.max(1, shortest)) {
      title ??= section.title
      continue
    }
    add(section.start)
    title = section.title
  }
  if (start < text.length) add(text.length)
  return parts
}

/** Where to cut a stretch into pieces of at most `longest`; its end is the last of them. */
function* cuts(text: string, start: number, end: number, longest: number): Generator<number> {
  let from = start
  while (end - from > longest) {
    from = seamBefore(text, from, from + longest)
    yield from
  }
  if (from < end) yield end
}

/** The best place to cut in the second half of a stretch. */
function seamBefore(text: string, from: number, most: number): number {
  const least = from + Math.floor((most - from) / 2)
  // Looked for in a copy: looking back in the text would go on to its beginning.
  const half = text.slice(least, most)
  for (const seam of ['\n\n', '\n', '. ', ' ']) {
    const at = half.lastIndexOf(seam)
    if (at >= 0) return least + at + seam.length
  }
  const cut = endOfPrefix(text, most)
  // A character of two units, where one is all that a part may have.
  return cut > from ? cut : most + 1
}

/** What a text is made of, line by line: its headings, symbols or keys, indented by their level; of a table its columns. */
export function outlineOf(text: string, kind: Kind): string {
  if (kind === 'table') return columnsOf(text)
  const sections = sectionsOf(text, kind)
  const top = sections.reduce((least, { level }) => Math.min(least, level), 6)
  return sections.map(({ level, title }) => `${'  '.repeat(level - top)}${title}\n`).join('')
}

function columnsOf(text: string): string {
  const head = text.slice(0, Math.min(endOfLine(text, 0), 2_000)).trimEnd()
  let rows = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) rows++
  return head === '' ? '' : `${head}\n(${rows} rows)\n`
}
