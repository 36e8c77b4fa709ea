export interface Shelfmark {
  readonly bay: string
  readonly shelf: number
  readonly place: number
  readonly volume?: string
}

/** Reads `H2.41b`; undefined when the text is no shelfmark. */
export function parseShelfmark(text: string): Shelfmark | undefined {
  const parts = /^([A-K])(\d)\.(\d{2})([b-z])?$/.exec(text)
  if (!parts) return undefined
  const [, bay = '', shelf, place, volume] = parts
  const mark = { bay, shelf: Number(shelf), place: Number(place) }
  return volume === undefined ? mark : { ...mark, volume }
}
