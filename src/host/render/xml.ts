import type { RenderItem } from './item.ts'
import { labelOf, uriLabelOf } from './label.ts'
import type { Rendered } from './markdown.ts'
import { PREFACE, piecesOf } from './piece.ts'
import type { Pieces } from './piece.ts'

/**
 * Resources as elements, the contents as they are: the name of the element is one that no text closes. What is no text is named
 * with its size.
 */
export function renderXml(items: readonly RenderItem[]): Rendered<string> {
  return elementsOf(piecesOf(items))
}

/** The same of pieces that are there already. */
export function elementsOf({ pieces, sources }: Pieces): Rendered<string> {
  const texts = pieces.flatMap(({ notes, passages }) => [...notes, ...passages.map(({ text }) => text)])
  const element = unclosed('resource', texts)
  const passage = unclosed('passage', texts)
  const blocks = pieces.map(({ id, item, notes, passages }) => {
    const inside = [
      ...notes,
      ...passages.map((one) =>
        one.id === id ? one.text : `<${passage}${attributes({ id: one.id, title: one.title })}>\n${line(one.text)}</${passage}>`,
      ),
    ]
    const { uri, name, mimeType, server } = item
    return `<${element}${attributes({ id, uri, name, type: mimeType, server })}>\n${inside.map(line).join('')}</${element}>`
  })
  return { output: `${[PREFACE, ...blocks].join('\n\n')}\n`, sources }
}

/** A name with the smallest number behind it that no text has as the end of an element, in any case. */
function unclosed(name: string, texts: readonly string[]): string {
  const taken = new Set<string>()
  for (const text of texts)
    for (const [, found = ''] of text.matchAll(/<[\s/]*([a-z]+(?:-\d+)?)/gi)) taken.add(found.toLowerCase())
  for (let number = 0; ; number++) {
    const free = number === 0 ? name : `${name}-${number}`
    if (!taken.has(free)) return free
  }
}

function attributes(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) =>
      value === undefined ? '' : ` ${name}="${escaped(name === 'uri' ? uriLabelOf(value) : labelOf(value))}"`,
    )
    .join('')
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function line(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
