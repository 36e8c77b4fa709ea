import { ShelfError } from '../errors.ts'

/** Timers of longer times fire at once, in milliseconds: about 24 days. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * Refuses times that no timer can keep.
 *
 * @throws ShelfError `invalid-option` naming the first that is no number of milliseconds above 0
 */
export function checkTimes(times: { readonly [option: string]: number | undefined }): void {
  for (const [option, ms] of Object.entries(times)) {
    if (ms === undefined || (typeof ms === 'number' && ms > 0 && ms <= LONGEST_MS)) continue
    const shown = typeof ms === 'number' ? String(ms) : typeof ms
    throw new ShelfError('invalid-option', `${option} is a number of milliseconds from 1 to ${LONGEST_MS}, got ${shown}`, {
      option,
    })
  }
}
