import { ShelfError } from '../errors.ts'
import type { Sealer } from '../protocol/index.ts'
import { createSealer } from './sealer.ts'

/** The environment variable with a key that several instances share. */
const VARIABLE = 'SHELFMARK_KEY'
const SHORTEST = 32

/**
 * The sealer of this process: with the key of `SHELFMARK_KEY`, else with a random one.
 *
 * @throws ShelfError `invalid-option` for a key that is too short to be safe
 */
export function processSealer(environment: { readonly [name: string]: string | undefined }): Sealer {
  const secret = environment[VARIABLE]
  if (secret === undefined || secret === '') return createSealer()
  if (secret.length < SHORTEST) {
    throw new ShelfError('invalid-option', `${VARIABLE} must have at least ${SHORTEST} characters, it has ${secret.length}`, {
      option: VARIABLE,
    })
  }
  return createSealer(secret)
}
