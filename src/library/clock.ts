import type { Clock } from '../protocol/index.ts'

/** The clock of this machine. Its timers do not keep a process alive. */
export const systemClock: Clock = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms)
    unref(timer)
    return () => clearTimeout(timer)
  },
}

/** On Node a timer is an object that keeps the process alive until told otherwise; elsewhere it is a number. */
function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function') timer.unref()
}
