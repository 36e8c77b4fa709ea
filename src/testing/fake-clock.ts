import type { Clock } from '../protocol/index.ts'

/** Time that stands still until a test moves it. */
export interface FakeClock extends Clock {
  /** Moves both times on by `ms`, and calls what falls due on the way, each at its own time and in order. */
  advance(ms: number): void
  /** Sets the wall time alone, as when a machine's clock is put right. */
  setWall(ms: number): void
  /** How many calls are waiting. */
  readonly pending: number
}

/** A clock at monotonic 0 and wall time `wall` (default: 2026-01-01T00:00:00Z). */
export function createFakeClock(wall: number = Date.UTC(2026, 0, 1)): FakeClock {
  let now = 0
  let offset = wall
  const waiting = new Set<{ readonly due: number; readonly call: () => void }>()
  return {
    monotonic: () => now,
    wall: () => now + offset,
    after(ms, call) {
      const entry = { due: now + Math.max(0, ms), call }
      waiting.add(entry)
      return () => void waiting.delete(entry)
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        let next
        for (const entry of waiting) if (entry.due <= end && (next === undefined || entry.due < next.due)) next = entry
        if (next === undefined) break
        waiting.delete(next)
        now = next.due
        next.call()
      }
      now = end
    },
    setWall(ms) {
      offset = ms - now
    },
    get pending() {
      return waiting.size
    },
  }
}
