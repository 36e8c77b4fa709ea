/** How many may be under way at once. */
export interface SlotLimits {
  readonly total: number
  /** Of one party, unless it is bounded by the total alone. */
  readonly perParty: number
  /** Of one place. Default: as many as in all. */
  readonly perPlace?: number | undefined
  /** How many may wait. */
  readonly queue: number
}

/** Who wants a slot, and where it is used. */
export interface SlotRequest {
  readonly party: string
  /** Whether the party is bounded by the total alone. */
  readonly free: boolean
  readonly place: object
}

/** What waits for a slot, until one of the two is called. */
export interface SlotWaiter extends SlotRequest {
  /** It has a slot now. */
  grant(): void
  /** It gave up its room to wait in. */
  refuse(): void
}

/**
 * Slots that are handed out in turn. Each party waits in a line of its own, and free slots go round the lines, so that a
 * party waits for at most one slot of each other party before its next one. Of a line the first is first, except that it
 * lets pass who wants another place while its own is full.
 *
 * The room to wait in is shared in the same way: when it is full, the longest line loses its last to a newcomer whose line
 * stays shorter.
 */
export class Slots {
  readonly #limits: SlotLimits
  #taken = 0
  #waiting = 0
  readonly #byParty = new Map<string, number>()
  readonly #byPlace = new WeakMap<object, number>()
  /** By party, and none of them empty. The first has its turn. */
  readonly #lines = new Map<string, SlotWaiter[]>()

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Takes a slot if there is one. It overtakes nobody: who waits then, waits for another place or party. */
  take(request: SlotRequest): boolean {
    if (!this.#fits(request)) return false
    this.#count(request, 1)
    return true
  }

  /** Gives a slot back, to whoever's turn it is. */
  give(request: SlotRequest): void {
    this.#count(request, -1)
    this.#handOut()
  }

  /** Waits for a slot, after `take` has found none. False if there is no room for it. */
  wait(waiter: SlotWaiter): boolean {
    const line = this.#lines.get(waiter.party)
    if (this.#waiting >= this.#limits.queue && !this.#makeRoom(line?.length ?? 0)) return false
    this.#waiting++
    if (line === undefined) this.#lines.set(waiter.party, [waiter])
    else line.push(waiter)
    return true
  }

  /** Waits no longer. */
  leave(waiter: SlotWaiter): void {
    const line = this.#lines.get(waiter.party)
    const index = line?.indexOf(waiter) ?? -1
    if (line !== undefined && index >= 0) this.#remove(waiter.party, line, index)
  }

  #fits({ party, free, place }: SlotRequest): boolean {
    const { total, perParty, perPlace } = this.#limits
    if (this.#taken >= total) return false
    if (perPlace !== undefined && (this.#byPlace.get(place) ?? 0) >= perPlace) return false
    return free || (this.#byParty.get(party) ?? 0) < perParty
  }

  #count({ party, place }: SlotRequest, by: number): void {
    this.#taken += by
    if (this.#limits.perPlace !== undefined) this.#byPlace.set(place, (this.#byPlace.get(place) ?? 0) + by)
    const count = (this.#byParty.get(party) ?? 0) + by
    if (count === 0) this.#byParty.delete(party)
    else this.#byParty.set(party, count)
  }

  #handOut(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) next.grant()
  }

  /** Takes a slot for whoever's turn it is; the others of its line wait until the other lines had theirs. */
  #next(): SlotWaiter | undefined {
    if (this.#taken >= this.#limits.total) return undefined
    for (const [party, line] of this.#lines) {
      const index = line.findIndex((waiter) => this.#fits(waiter))
      const waiter = line[index]
      if (waiter === undefined) continue
      this.#remove(party, line, index)
      if (this.#lines.delete(party)) this.#lines.set(party, line)
      this.#count(waiter, 1)
      return waiter
    }
    return undefined
  }

  /** Makes room for one who joins a line of so many, if another is longer than that line will be. */
  #makeRoom(length: number): boolean {
    let longest: readonly [party: string, line: SlotWaiter[]] | undefined
    for (const entry of this.#lines) if (entry[1].length > (longest?.[1].length ?? length + 1)) longest = entry
    if (longest === undefined) return false
    const [party, line] = longest
    const last = line.at(-1)
    this.#remove(party, line, line.length - 1)
    last?.refuse()
    return true
  }

  #remove(party: string, line: SlotWaiter[], index: number): void {
    this.#waiting--
    line.splice(index, 1)
    if (line.length === 0) this.#lines.delete(party)
  }
}
