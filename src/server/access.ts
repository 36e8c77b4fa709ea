import { notFound } from '../errors.ts'
import type { Library, Provider } from '../library/index.ts'
import { definePolicy } from '../library/index.ts'

/** What modules read from: a Library as a Provider, every operation there. */
export type Data = Provider & Required<Pick<Provider, 'templates' | 'stat' | 'children' | 'complete'>>

/**
 * A Library behind the decision that a Call carries. Denied answers like absent, in every operation alike; for
 * templates and completion the template's text is what is decided on.
 */
export function guarded(library: Library): Data {
  const policy = definePolicy({
    name: 'access',
    around: async (step, call, next) => {
      if (step.uri !== undefined && !call.allows(step.operation, step.uri)) throw notFound(step.uri)
      return next()
    },
    keep: (uri, operation, call) => call.allows(operation, uri),
  })
  // A policy keeps the operations that its provider has, and a Library has all of them.
  return policy(library) as Data
}
