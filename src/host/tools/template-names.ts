import { isObject, META_SERVER } from '../../protocol/index.ts'
import type { ResourceTemplate } from '../../protocol/index.ts'

/** The longest name of a tool that every model takes. */
const LONGEST = 64

/**
 * A name for the tool of each template, each once and whatever the order: what it is called, with its server where two
 * are called the same, and a number where that does not do.
 *
 * @param taken names of other tools
 */
export function nameTemplates(
  templates: readonly ResourceTemplate[],
  taken: Iterable<string>,
): ReadonlyMap<string, ResourceTemplate> {
  const sorted = templates.toSorted((a, b) => (a.uriTemplate < b.uriTemplate ? -1 : 1))
  const counts = new Map<string, number>()
  for (const template of sorted) counts.set(plainName(template), (counts.get(plainName(template)) ?? 0) + 1)
  const used = new Set(taken)
  const named = new Map<string, ResourceTemplate>()
  for (const template of sorted) {
    const plain = plainName(template)
    const wanted = (counts.get(plain) ?? 0) > 1 || used.has(plain) ? nameWithServer(template) : plain
    let name = wanted
    for (let i = 2; used.has(name); i++) name = `${wanted.slice(0, LONGEST - 1 - String(i).length)}_${i}`
    used.add(name)
    named.set(name, template)
  }
  return named
}

function plainName({ name }: ResourceTemplate): string {
  return `read_${slug(name)}`.slice(0, LONGEST)
}

function nameWithServer(template: ResourceTemplate): string {
  const server = isObject(template._meta) ? template._meta[META_SERVER] : undefined
  if (typeof server !== 'string') return plainName(template)
  return `read_${slug(server)}_${slug(template.name)}`.slice(0, LONGEST)
}

/** Text of a server as part of a name: its letters and digits, at least something. */
function slug(text: string): string {
  const words = text
    .slice(0, 4 * LONGEST)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return words === '' ? 'template' : words
}
