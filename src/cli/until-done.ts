import { fail } from './output.ts'
import { catchSignals } from './signals.ts'

/**
 * Does work until it is done, a person stops it, or nobody reads the output any more, and leaves nothing behind: `close` lets
 * go of whatever was opened for it.
 */
export async function untilDone(work: (signal: AbortSignal) => Promise<void>, close: () => Promise<void>): Promise<void> {
  const stop = new AbortController()
  // Nothing else may keep the process here, such as between two attempts to connect.
  const here = setInterval(() => undefined, 1_000_000)
  let unread = false
  const onError = (error: NodeJS.ErrnoException): void => {
    // `shelfmark ls ... | head`: that is enough.
    unread = true
    if (error.code !== 'EPIPE') fail(error)
    stop.abort()
  }
  const signals = catchSignals(stop)
  process.stdout.on('error', onError)
  try {
    await Promise.race([work(stop.signal), signals.late])
  } catch (error) {
    if (!stop.signal.aborted) throw error
  } finally {
    clearInterval(here)
    await close()
    signals.release()
    if (!unread) process.stdout.off('error', onError)
  }
}
