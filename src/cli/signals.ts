import { endProcess } from '../runtime/index.ts'

/** Exit code of a program that Ctrl+C ended, as shells have it. */
const INTERRUPTED = 130

/** How long work may take to end when it was told to, in milliseconds: output that nobody takes never ends. */
const PATIENCE_MS = 500

/** What ends a command: Ctrl+C, whoever started it, and the terminal when it is closed. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Signals turned into the end of work, until they are released. */
export interface CaughtSignals {
  /** Settles when the work was stopped and had its time. */
  readonly late: Promise<void>
  /** Lets signals do what the system has them do. A process that one of them ended does not wait for its readers. */
  release(): void
}

/** The first signal stops work, and makes the exit code 130; a second one does not wait for anything. */
export function catchSignals(stop: AbortController): CaughtSignals {
  const late = new Promise<void>((resolve) => {
    stop.signal.addEventListener('abort', () => void setTimeout(resolve, PATIENCE_MS).unref(), { once: true })
  })
  let came: NodeJS.Signals | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    if (came !== undefined) endProcess(INTERRUPTED, signal, 0)
    came = signal
    process.exitCode = INTERRUPTED
    stop.abort()
  }
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal)
  return {
    late,
    release() {
      for (const signal of STOP_SIGNALS) process.off(signal, onSignal)
      if (came !== undefined) setTimeout(endProcess, PATIENCE_MS, INTERRUPTED, came, 0).unref()
    },
  }
}
