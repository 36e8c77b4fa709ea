import type { Clock } from '../../protocol/index.ts'
import type { Frame } from '../../server/index.ts'

/** How long a client has read nothing before it may have to go, in milliseconds. */
const PATIENCE_MS = 2_000

/** So many requests that waited for room begin at once, and further ones so many milliseconds later: what they hold shows late. */
const ADMITTED = 8
const ADMIT_MS = 20

/** The most that is in hand of a source of bytes: a piece of 192 KiB, and its base64 while it waits for the client. */
const IN_HAND = (192 + 256) * 1024

/** An answer that a client has not read to its end. */
export interface UnreadAnswer {
  /** The client has read some more. */
  moved(): void
  /** Nothing of it is held any more. */
  gone(): void
}

interface Entry {
  readonly bytes: number
  readonly cut: () => void
  movedAt: number
}

/**
 * What answers hold in memory while their clients read them. Beyond a limit further requests wait, and those whose clients
 * have read nothing for two seconds are cut off: the others are not to pay for them.
 */
export class Unread {
  readonly #clock: Clock
  readonly #limit: number
  readonly #all = new Set<Entry>()
  #bytes = 0
  #lookingAgain = false
  readonly #waiting = new Set<() => void>()
  #admitting = false

  constructor(clock: Clock, limit: number) {
    this.#clock = clock
    this.#limit = limit
  }

  /** @param cut breaks the answer off */
  add(frame: Frame, cut: () => void): UnreadAnswer {
    const entry: Entry = { bytes: heldBy(frame), cut, movedAt: this.#clock.monotonic() }
    this.#all.add(entry)
    this.#bytes += entry.bytes
    if (this.#bytes > this.#limit) this.#makeRoom()
    return {
      moved: () => {
        entry.movedAt = this.#clock.monotonic()
      },
      gone: () => this.#forget(entry),
    }
  }

  /**
   * Calls `begin` when there is room for another answer: at once, or in turn. Then there is a function to call when its
   * client goes before.
   */
  whenRoom(begin: () => void): (() => void) | undefined {
    if (this.#bytes <= this.#limit && this.#waiting.size === 0) {
      begin()
      return undefined
    }
    this.#waiting.add(begin)
    this.#admitSoon()
    return () => this.#waiting.delete(begin)
  }

  #admitSoon(): void {
    if (this.#admitting) return
    this.#admitting = true
    this.#clock.after(ADMIT_MS, () => {
      this.#admitting = false
      if (this.#bytes <= this.#limit) for (const begin of [...this.#waiting].slice(0, ADMITTED)) this.#admit(begin)
      if (this.#waiting.size > 0) this.#admitSoon()
    })
  }

  #admit(begin: () => void): void {
    this.#waiting.delete(begin)
    begin()
  }

  #makeRoom(): void {
    const before = this.#clock.monotonic() - PATIENCE_MS
    for (const entry of this.#all) {
      if (this.#bytes <= this.#limit) return
      if (entry.bytes === 0 || entry.movedAt > before) continue
      this.#forget(entry)
      entry.cut()
    }
    this.#lookAgain()
  }

  /** Those who are patiently waited for now may never read, and nobody may come after them. */
  #lookAgain(): void {
    if (this.#lookingAgain || this.#bytes <= this.#limit) return
    this.#lookingAgain = true
    this.#clock.after(PATIENCE_MS, () => {
      this.#lookingAgain = false
      this.#makeRoom()
    })
  }

  #forget(entry: Entry): void {
    if (this.#all.delete(entry)) this.#bytes -= entry.bytes
  }
}

/** Text and bytes in memory, and of what is read from elsewhere while it is sent the part that is in hand. */
function heldBy(frame: Frame): number {
  if (typeof frame === 'string') return frame.length
  let kept = 0
  let inHand = 0
  for (const piece of frame) {
    if (typeof piece === 'string') kept += piece.length
    else if ('byteLength' in piece.bytes) kept += piece.bytes.byteLength
    else inHand = Math.max(inHand, Math.min(IN_HAND, Math.ceil((piece.bytes.size * 7) / 3)))
  }
  return kept + inHand
}
