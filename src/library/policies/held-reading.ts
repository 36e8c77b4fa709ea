import type { ReadResult } from '../provider.ts'

/** Calls `release` once: when the Reading is disposed, or now if the result is none. */
export function untilDisposed(result: ReadResult, release: () => void): ReadResult {
  if (result.kind !== 'contents') {
    release()
    return result
  }
  let held = true
  const letGo = (): void => {
    if (held) release()
    held = false
  }
  const dispose = result[Symbol.asyncDispose]
  if (!(Symbol.asyncDispose in result)) {
    const disposed = (): Promise<void> => {
      letGo()
      return DONE
    }
    // Most have nothing of their own to let go of. A symbol after a spread, and an async function, would be half of what a
    // policy costs: two microseconds.
    return { [Symbol.asyncDispose]: disposed, ...result }
  }
  return {
    ...result,
    [Symbol.asyncDispose]: async () => {
      try {
        await dispose?.call(result)
      } finally {
        letGo()
      }
    },
  }
}

const DONE = Promise.resolve()

/** Whether a body of this result is still to be read from where it is. */
export function streams(result: ReadResult): boolean {
  return result.kind === 'contents' && result.contents.some((one) => 'bytes' in one && !('byteLength' in one.bytes))
}
