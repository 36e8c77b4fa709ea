import { basename } from 'node:path'

/** Keys and places in lists, from the top of the file. */
export type ConfigPath = readonly (string | number)[]

/** Where something stands; both from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** One thing that is wrong with a file. */
export interface Mistake {
  readonly place?: Place
  readonly path: ConfigPath
  readonly message: string
}

/** So many mistakes are told one by one. */
const MOST_TOLD = 20

/** What is wrong with a file, in the order in which it stands there. */
export class Mistakes extends Error {
  override readonly name = 'Mistakes'
  readonly all: readonly Mistake[]

  constructor(all: readonly Mistake[]) {
    super(all.map(({ message }) => message).join('; '))
    this.all = all.toSorted(inOrder)
  }
}

function inOrder({ place: a }: Mistake, { place: b }: Mistake): number {
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0)
}

/** `mounts[0].name`. */
export function pathText(path: ConfigPath): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? part : `.${part}`)).join('')
}

/** Mistakes as lines: `shelfmark.yaml:3:5: mounts[0].name: wants text`. */
export function formatMistakes(file: string, { all }: Mistakes): string {
  const lines = all.slice(0, MOST_TOLD).map(({ place, path, message }) => {
    const where = place === undefined ? basename(file) : `${basename(file)}:${place.line}:${place.column}`
    return path.length === 0 ? `${where}: ${message}` : `${where}: ${pathText(path)}: ${message}`
  })
  if (all.length > MOST_TOLD) lines.push(`and ${all.length - MOST_TOLD} more`)
  return lines.length === 1 ? lines[0]! : [`${basename(file)} has ${all.length} mistakes`, ...lines].join('\n  ')
}
