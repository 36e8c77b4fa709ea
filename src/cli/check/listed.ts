/** A resource as a server listed it. */
export interface Listed {
  readonly uri: string
  readonly mimeType: string | undefined
  readonly size: number | undefined
  /** The cursor of the page it stands on; undefined for the first. */
  readonly cursor: string | undefined
}

/** What the lists of a server gave. */
export interface Lists {
  readonly resources: readonly Listed[]
  /** Templates that are templates. */
  readonly templates: readonly string[]
}

/** So many of them, spread over the whole list, the first among them. */
export function spread<T>(all: readonly T[], count: number): readonly T[] {
  if (all.length <= count) return all
  return Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)]!)
}
