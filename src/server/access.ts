import type { Library, Provider } from '../library/index.ts'
import { guarded } from '../library/index.ts'

/** What modules read from: a Library as a Provider, every operation there. */
export type Data = Provider & Required<Pick<Provider, 'listHint' | 'templates' | 'stat' | 'children' | 'complete'>>

/** A Library behind the decision that a Call carries. */
export function guardedData(library: Library): Data {
  // A policy keeps the operations that its provider has, and a Library has all of them.
  return guarded(library) as Data
}
