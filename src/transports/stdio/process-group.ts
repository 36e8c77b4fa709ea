import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { within } from '../../runtime/index.ts'

/** Groups have no events of their own: who is left in one is asked for. */
const LOOK_MS = 20
/** What is left in a group whose leader is gone has nothing to wait for. */
const LEFT_MS = 500
/** What processes that outlive us get between SIGTERM and SIGKILL, while our own exit waits. */
const EXIT_MS = 100

const WINDOWS = process.platform === 'win32'

const alive = new Set<ProcessGroup>()

/**
 * A process and all that it started: on POSIX a process group, whose leader must have been spawned with `detached`.
 * It ends with our own process at the latest.
 */
export class ProcessGroup {
  readonly #child: ChildProcess
  readonly #exited: Promise<void>
  #gone = false

  constructor(child: ChildProcess) {
    this.#child = child
    this.#exited = new Promise((resolve) => {
      child.once('exit', () => resolve())
    })
    if (alive.size === 0) process.on('exit', killAll)
    alive.add(this)
  }

  /** Sends a signal to all of it. False when nobody is left. */
  signal(signal: NodeJS.Signals | 0): boolean {
    if (!this.#gone && !this.#reach(signal)) this.#leave()
    return !this.#gone
  }

  /** Waits for its end, then sends SIGTERM, then SIGKILL, each after `graceMs`. Settles when nobody is left. */
  async end(graceMs: number): Promise<void> {
    await this.#within(graceMs)
    if (!this.signal('SIGTERM')) return
    await this.#within(graceMs)
    if (!this.signal('SIGKILL')) return
    // Not even that ends a process which waits for a device.
    await this.#within(1_000)
    this.#leave()
  }

  /** Until nobody is left, or so long; a group without its leader has less time. */
  async #within(ms: number): Promise<void> {
    await within(this.#exited, ms, undefined)
    const deadline = performance.now() + Math.min(ms, LEFT_MS)
    while (this.#leaderExited && this.signal(0) && performance.now() < deadline) await pause(LOOK_MS)
  }

  get #leaderExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  #reach(signal: NodeJS.Signals | 0): boolean {
    const { pid } = this.#child
    if (pid === undefined) return false
    if (WINDOWS) return !this.#leaderExited && this.#child.kill(signal)
    try {
      return process.kill(-pid, signal)
    } catch {
      // Nobody, or nobody but the dead that their parent has not asked about.
      return false
    }
  }

  /** Its number may be somebody else's from now on. */
  #leave(): void {
    this.#gone = true
    alive.delete(this)
    if (alive.size === 0) process.off('exit', killAll)
  }
}

/** The last thing that our process does. */
function killAll(): void {
  const left = [...alive].filter((group) => group.signal('SIGTERM'))
  if (left.length === 0) return
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EXIT_MS)
  for (const group of left) group.signal('SIGKILL')
}
