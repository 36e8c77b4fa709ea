import { ShelfError } from '../errors.ts'
import type { Completion } from '../library/index.ts'
import { COMPLETE, isObject, REVISIONS } from '../protocol/index.ts'
import type { Asking } from './ask.ts'
import { ask, completeResult, factsOf } from './ask.ts'
import type { AskOptions } from './options.ts'

export interface CompleteOptions extends AskOptions {
  /** Values already chosen for other variables of the template. */
  readonly arguments?: { readonly [name: string]: string }
}

const NOTHING: Completion = { values: [] }

/**
 * Values for a variable of a template, as listed or a URI that it matches, that begin with `prefix`. Nothing from a
 * server that does not complete; earlier arguments are left out where its revision does not know them.
 *
 * @throws ShelfError `not-found` for a template that the server does not know
 */
export async function complete(
  asking: Asking,
  template: string,
  variable: string,
  prefix: string,
  options: CompleteOptions,
): Promise<Completion> {
  const { completions, revision } = await factsOf(asking, options.signal)
  if (!completions) return NOTHING
  const { method } = COMPLETE
  const earlier = options.arguments ?? {}
  const context = REVISIONS[revision].completionContext && Object.keys(earlier).length > 0 && { context: { arguments: earlier } }
  const params = { ref: { type: 'ref/resource', uri: template }, argument: { name: variable, value: prefix }, ...context }
  try {
    const result = completeResult(await ask(asking, { method, uri: template, params }, options), method)
    return completionOf(result['completion'])
  } catch (error) {
    if (ShelfError.is(error, 'method-not-found')) return NOTHING
    throw error
  }
}

function completionOf(value: unknown): Completion {
  if (!isObject(value) || !Array.isArray(value['values'])) return NOTHING
  const { values, total, hasMore } = value
  return {
    values: (values as unknown[]).filter((one) => typeof one === 'string'),
    ...(typeof total === 'number' && total >= 0 && { total }),
    ...(typeof hasMore === 'boolean' && { hasMore }),
  }
}
