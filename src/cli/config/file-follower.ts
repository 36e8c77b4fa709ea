import { statSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { systemClock } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'

/** How often the file is looked at, in milliseconds. */
const LOOK_MS = 1_000
/** How long it must stay as it is before it is read: whoever writes it may not be done. */
const SETTLE_MS = 200

const ABSENT = 'absent'

/**
 * Tells when a file is another one, or has been written: by looking, which sees whatever an editor does, a link that is
 * changed on the way to it, and network drives. It tells of a file that is gone, too.
 */
export class FileFollower {
  readonly #path: string
  #onChange: (() => void) | undefined
  /** How the file was when it was told of last. */
  #told: string
  /** How it is since the last look, when that is different. */
  #seen: string
  readonly #clock: Clock

  constructor(path: string, clock: Clock = systemClock) {
    this.#path = path
    this.#clock = clock
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    this.#told = this.#seen = stats === undefined ? ABSENT : signatureOf(stats)
  }

  /** Begins to look, for what is different since it was made. */
  follow(onChange: () => void): void {
    this.#onChange = onChange
    this.#later(LOOK_MS)
  }

  #later(ms: number): void {
    this.#clock.after(ms, () => void this.#look())
  }

  /** Waits for a drive that does not answer, and nobody else does. */
  async #look(): Promise<void> {
    const now = await stat(this.#path, { bigint: true }).then(signatureOf, () => ABSENT)
    const settled = now === this.#seen
    this.#seen = now
    if (now === this.#told) return this.#later(LOOK_MS)
    if (!settled) return this.#later(SETTLE_MS)
    this.#told = now
    this.#later(LOOK_MS)
    this.#onChange?.()
  }
}

function signatureOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
}
