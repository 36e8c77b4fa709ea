import { offAbort, onAbort } from './on-abort.ts'

/** A signal that follows others until it is ended. */
export interface LinkedSignal {
  readonly signal: AbortSignal
  /** Fires the signal, and lets go of the others. */
  readonly end: () => void
}

/**
 * Fires when one of several signals does. What `AbortSignal.any` makes is kept by Node 20 for as long as the signal of it that
 * lives longest, which is for ever where that is a program's own.
 */
export function linkedSignal(...sources: readonly AbortSignal[]): LinkedSignal {
  const controller = new AbortController()
  const end = (): void => {
    for (const source of sources) offAbort(source, end)
    controller.abort()
  }
  for (const source of sources) {
    if (source.aborted) {
      end()
      break
    }
    onAbort(source, end)
  }
  return { signal: controller.signal, end }
}
