import { throwIfAborted } from './abort.ts'

/** Names that are passed over in one turn of the event loop: half a microsecond each, 1.5 with thirty lines of ignore rules. */
export const NAMES_A_TURN = 2_000

/** Lets other work have its turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A turn for other work, unless the caller gave up meanwhile. */
export async function turnFor(signal: AbortSignal): Promise<void> {
  await turn()
  throwIfAborted(signal)
}
