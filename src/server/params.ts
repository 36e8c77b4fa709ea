import { ShelfError } from '../errors.ts'
import type { UncheckedObject } from '../protocol/index.ts'
import { objectParam } from '../protocol/index.ts'

/** The object under a key of `params`, or `invalid-params` naming it. */
export function requiredObject(params: UncheckedObject, key: string): UncheckedObject {
  const value = objectParam(params, key)
  if (value !== undefined) return value
  throw new ShelfError('invalid-params', `params.${key} must be an object`, { param: key })
}
