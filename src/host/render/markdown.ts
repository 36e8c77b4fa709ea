import type { RenderItem } from './item.ts'
import { labelOf, uriLabelOf } from './label.ts'
import type { Source } from './piece.ts'
import { PREFACE, piecesOf } from './piece.ts'

/** What goes to a model, and where its pieces are from. */
export interface Rendered<T> {
  readonly output: T
  readonly sources: readonly Source[]
}

/**
 * Resources as Markdown: each text in a fence that is longer than any in it, so that nothing in it can close the fence. What is
 * no text is named with its size.
 */
export function renderMarkdown(items: readonly RenderItem[]): Rendered<string> {
  const { pieces, sources } = piecesOf(items)
  const blocks = pieces.flatMap(({ id, item, notes, passages }) => [
    `## [${id}] ${plain(labelOf(item.name))}`,
    describeItem(item),
    ...notes.map(fencedNote),
    ...passages.map((passage) => {
      const head = passage.id === id ? '' : `[${passage.id}]${passage.title === undefined ? '' : ` ${plain(passage.title)}`}\n`
      return `${head}${fenced(passage.text)}`
    }),
  ])
  return { output: `${[PREFACE, ...blocks].join('\n\n')}\n`, sources }
}

function describeItem({ uri, mimeType, server, kind }: RenderItem): string {
  const said = [
    code(uriLabelOf(uri)),
    mimeType === undefined ? kind : plain(labelOf(mimeType)),
    server === undefined ? undefined : `of ${plain(labelOf(server))}`,
  ]
  return said.filter((one) => one !== undefined).join(' · ')
}

/** Notes may quote headings of a text, which are not to be headings of ours. */
function fencedNote(note: string): string {
  const [head = '', ...rest] = note.split('\n')
  return rest.length === 0 ? head : `${head}\n${fenced(rest.join('\n'))}`
}

/** A fence of backticks with one more than the longest run in the text (CommonMark 0.31, section 4.5). */
function fenced(text: string): string {
  let longest = 2
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`
}

/** Code between more backticks than are in it. */
function code(text: string): string {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const ticks = '`'.repeat(longest + 1)
  return longest === 0 ? `${ticks}${text}${ticks}` : `${ticks} ${text} ${ticks}`
}

/** Text of a line outside of a fence, without what Markdown would make of it. */
function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>#!|~&]/g, (character) => `\\${character}`)
}
