import { ShelfError } from '../../errors.ts'

/** Timers of some engines hold no more milliseconds than this. */
export const LONGEST_MS = 2 ** 31 - 1

/**
 * A limit as it was given.
 *
 * @throws ShelfError `invalid-option` for what is no finite number from `least` to `most`
 */
export function requireLimit(option: string, value: number, least: number, most: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isFinite(value) && value >= least && value <= most) return value
  throw new ShelfError('invalid-option', `"${option}" takes a number from ${least} to ${most}, got ${String(value)}`, { option })
}

/** @throws ShelfError `invalid-option` for what is no whole number from `least` on */
export function requireCount(option: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new ShelfError('invalid-option', `"${option}" takes a whole number from ${least} on, got ${String(value)}`, { option })
}
