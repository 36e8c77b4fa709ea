import type { Clock, Sealer } from '../protocol/index.ts'
import { systemClock } from '../library/index.ts'
import { processSealer } from './key.ts'
import { reportToStderr } from './report.ts'

/** What an Engine in this process uses unless it is told otherwise. */
export interface ProcessDefaults {
  readonly sealer: Sealer
  readonly clock: Clock
  readonly onError: typeof reportToStderr
}

/** @throws ShelfError `invalid-option` for a key in `SHELFMARK_KEY` that is too short to be safe */
export function processDefaults(): ProcessDefaults {
  return { sealer: processSealer(process.env), clock: systemClock, onError: reportToStderr }
}
