import { ShelfError } from '../errors.ts'
import type { Sealer } from '../protocol/index.ts'
import { createSealer } from './sealer.ts'

/** The environment variable with a key that several instances share, and that with the one that was in use before. */
const VARIABLE = 'SHELFMARK_KEY'
const PREVIOUS = 'SHELFMARK_KEY_PREVIOUS'
const SHORTEST = 32

type Environment = { readonly [name: string]: string | undefined }

/**
 * The sealer of this process: with the key of `SHELFMARK_KEY`, else with a random one. What the key of
 * `SHELFMARK_KEY_PREVIOUS` sealed is still opened, so that keys can be changed one instance after the other.
 *
 * @throws ShelfError `invalid-option` for a key that is too short to be safe, or a previous one without one of today
 */
export function processSealer(environment: Environment): Sealer {
  const secret = keyIn(environment, VARIABLE)
  const previous = keyIn(environment, PREVIOUS)
  if (previous !== undefined && secret === undefined) {
    throw new ShelfError('invalid-option', `${PREVIOUS} is set and ${VARIABLE} is not: nothing would be sealed for long`, {
      option: VARIABLE,
    })
  }
  return createSealer(secret, previous === undefined ? [] : [previous])
}

function keyIn(environment: Environment, name: string): string | undefined {
  const secret = environment[name]
  if (secret === undefined || secret === '') return undefined
  if (secret.length >= SHORTEST) return secret
  throw new ShelfError('invalid-option', `${name} must have at least ${SHORTEST} characters, it has ${secret.length}`, {
    option: name,
  })
}
