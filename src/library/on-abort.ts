/** What is called when a signal fires, by signal. */
const waiting = new WeakMap<AbortSignal, Fanout>()

/**
 * Calls back when a signal fires that has not fired yet. One listener does for all: a request to listen looks at many URIs
 * side by side, all with its one signal, and Node takes more than ten listeners of one for a leak and says so.
 */
export function onAbort(signal: AbortSignal, call: () => void): void {
  let fanout = waiting.get(signal)
  if (fanout === undefined) waiting.set(signal, (fanout = new Fanout(signal)))
  fanout.calls.add(call)
}

/** Calls it back no longer. The last that goes takes the listener with it. */
export function offAbort(signal: AbortSignal, call: () => void): void {
  const fanout = waiting.get(signal)
  if (fanout === undefined || !fanout.calls.delete(call) || fanout.calls.size > 0) return
  waiting.delete(signal)
  signal.removeEventListener('abort', fanout.fire)
}

class Fanout {
  readonly calls = new Set<() => void>()

  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', this.fire, { once: true })
  }

  readonly fire = (): void => {
    for (const call of this.calls) call()
  }
}
