import { ShelfError } from '../../errors.ts'
import type { Call, Change, Notice, Provider, Watcher } from '../../library/index.ts'
import { covers, settleable, within } from '../../library/index.ts'
import type { Settleable } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'
import { uriKey } from '../../uri/index.ts'
import { Asker } from './asker.ts'
import type { Catalogue } from './catalogue.ts'
import { Listing, warning } from './listing.ts'
import type { Limits, SearchProgress } from './options.ts'
import type { TemplateShelf } from './template-shelf.ts'
import { Texts } from './texts.ts'
import { Turns } from './turns.ts'

/** A list that failed, or of which a part was left out or not read, is walked again after this, then after twice as long, up to an hour. */
const AGAIN_MS = 30_000
const LONGEST_AGAIN_MS = 3_600_000
/** A list that changes all the time is walked no more than a fifth of the time. */
const REST = 4
const LONGEST_REST_MS = 60_000
/** For a watch to end. */
const END_MS = 2_000
/** Changes that are told while the list is walked, of what is not known yet. */
const UNKNOWN_CHANGES = 10_000

export interface IndexerOptions {
  readonly provider: Provider
  readonly call: Call
  readonly catalogue: Catalogue
  readonly templates: TemplateShelf
  readonly limits: Limits
  readonly clock: Clock
  /** Told when nothing is left to do, and now and then before. */
  readonly progressed: (progress: SearchProgress) => void
  readonly hear: (notice: Notice) => void
}

/** Keeps a catalogue at what a provider lists and reads: walks the list, then reads, and again whatever changes. */
export class Indexer {
  readonly #options: IndexerOptions
  readonly #end = new AbortController()
  readonly #asker: Asker
  readonly #listing: Listing
  readonly #texts: Texts
  readonly #turns: Turns
  readonly #unknown = new Set<string>()
  readonly #work: Promise<void>
  #watcher: Watcher | undefined
  #wantsWalk = true
  #isWalking = false
  #restUntil = 0
  #againMs = AGAIN_MS
  /** Whether somebody was silent in the last round, and had more to be read. */
  #hasGivenUp = false
  #callOffAgain: (() => void) | undefined
  #callOffRest: (() => void) | undefined
  #isIdle = false
  #wake: Settleable<void> = settleable()
  #round = new Round()
  /** What is told of too late for the round. */
  #nextRound = new Round()

  constructor(options: IndexerOptions) {
    const { provider, call, catalogue, limits, clock } = options
    this.#options = options
    this.#asker = new Asker(call, this.#end.signal, clock, limits.timeoutMs)
    this.#turns = new Turns(clock, () => options.progressed(this.progress), this.#end.signal)
    const common = { provider, asker: this.#asker, catalogue, limits, turns: this.#turns }
    this.#texts = new Texts({ ...common, watcher: () => this.#watcher })
    this.#listing = new Listing({
      ...common,
      found: (entry) => this.#texts.want(entry),
      gone: (entry) => this.#texts.forget(entry),
    })
    this.#work = this.#run()
  }

  get progress(): SearchProgress {
    const { catalogue, templates } = this.#options
    return {
      resources: catalogue.size,
      templates: templates.size,
      contents: catalogue.count('held'),
      contentsBytes: catalogue.contentsBytes,
      skipped: catalogue.count('skipped'),
      failed: catalogue.count('failed'),
      waiting: this.#texts.waiting,
    }
  }

  /**
   * Settles when all is done that is known of now, whatever else is told of until then; rejects with `cancelled` when it ends
   * before.
   */
  upToDate(): Promise<void> {
    if (this.#isIdle) return Promise.resolve()
    const isTooLate = this.#round.isMarked || (this.#isWalking && this.#wantsWalk)
    return (isTooLate ? this.#nextRound : this.#round).done.promise
  }

  async close(): Promise<void> {
    this.#end.abort()
    this.#callOffAgain?.()
    this.#callOffRest?.()
    this.#wake.resolve()
    await this.#work
    this.#texts.clear()
    const watcher = this.#watcher
    this.#watcher = undefined
    await within(letGo(watcher), END_MS).catch(() => undefined)
  }

  async #run(): Promise<void> {
    await this.#arm()
    const isInterrupted = (): boolean => this.#end.signal.aborted || this.#isWalkDue || this.#isRoundOver
    while (!this.#end.signal.aborted) {
      this.#advance()
      if (this.#isWalkDue) await this.#walk()
      else if (this.#texts.waiting > 0) await this.#texts.read(isInterrupted)
      else await this.#rest()
    }
    if (this.#isIdle) return
    for (const { done } of [this.#round, this.#nextRound]) {
      done.reject(new ShelfError('cancelled', 'The index was ended before it was complete', {}))
    }
  }

  get #isRoundOver(): boolean {
    return this.#round.isMarked && !this.#texts.isOwing
  }

  /** At a moment when nothing is being walked or read: what is wanted by then is of the round, and nothing that comes later. */
  #advance(): void {
    this.#mark()
    if (!this.#isRoundOver) return
    this.#hasGivenUp = this.#texts.hasGivenUp
    if (this.#hasGivenUp) this.#walkAgainLater()
    this.#round.done.resolve()
    this.#round = this.#nextRound
    this.#nextRound = new Round()
    this.#mark()
  }

  #mark(): void {
    if (this.#round.isMarked || (this.#wantsWalk && !this.#round.hasWalked)) return
    this.#round.isMarked = true
    this.#texts.mark()
  }

  /** Before anything is listed, so that no change is lost between. */
  async #arm(): Promise<void> {
    const { provider } = this.#options
    if (provider.watch === undefined) return
    try {
      this.#watcher = await this.#asker.ask(
        async () => provider.watch?.((change) => this.#take(change)),
        (late) => void letGo(late),
      )
    } catch {
      if (!this.#end.signal.aborted) this.#hear(warning('Changes will not be heard of: the provider could not be watched'))
    }
  }

  get #isWalkDue(): boolean {
    return this.#wantsWalk && this.#options.clock.monotonic() >= this.#restUntil
  }

  async #walk(): Promise<void> {
    const { provider, limits, templates, clock } = this.#options
    const begun = clock.monotonic()
    this.#wantsWalk = false
    this.#isWalking = true
    this.#callOffAgain?.()
    let isPartial = false
    const hear = (notice: Notice): void => {
      isPartial ||= notice.level === 'warning' && notice.provider !== undefined
      this.#hear(notice)
    }
    try {
      await this.#listing.walk(hear)
      await templates.walk(provider, this.#asker, limits, this.#turns, hear)
    } catch (error) {
      if (this.#end.signal.aborted) return
      isPartial = true
      hear({ level: 'warning', message: `The list could not be walked to its end: ${ShelfError.from(error).code}`, cause: error })
    } finally {
      this.#isWalking = false
      this.#round.hasWalked = true
    }
    // Whoever hears of what is left out may end it for that.
    if (this.#end.signal.aborted) return
    this.#lookAtUnknown()
    this.#texts.wantAgain()
    this.#restUntil = clock.monotonic() + Math.min(LONGEST_REST_MS, REST * (clock.monotonic() - begun))
    if (isPartial) this.#walkAgainLater()
    else if (!this.#hasGivenUp) this.#againMs = AGAIN_MS
  }

  #walkAgainLater(): void {
    this.#callOffAgain?.()
    this.#callOffAgain = this.#options.clock.after(this.#againMs, () => {
      this.#wantsWalk = true
      this.#wakeUp()
    })
    this.#againMs = Math.min(LONGEST_AGAIN_MS, 2 * this.#againMs)
  }

  /** What changed while the list was walked, and has been come by only after that, may have been listed as it was before. */
  #lookAtUnknown(): void {
    for (const key of this.#unknown) {
      const entry = this.#options.catalogue.get(key)
      if (entry !== undefined) this.#texts.want(entry, true)
    }
    this.#unknown.clear()
  }

  /** Nothing to do: until something changes, or until the list may be walked again. */
  async #rest(): Promise<void> {
    const { clock, progressed } = this.#options
    this.#wake = settleable()
    if (this.#wantsWalk) this.#callOffRest = clock.after(this.#restUntil - clock.monotonic(), () => this.#wake.resolve())
    else {
      this.#isIdle = true
      progressed(this.progress)
      this.#round.done.resolve()
      this.#nextRound.done.resolve()
    }
    await this.#wake.promise
    this.#callOffRest?.()
  }

  #wakeUp(): void {
    if (this.#isIdle) {
      this.#isIdle = false
      this.#round = new Round()
      this.#nextRound = new Round()
    }
    this.#wake.resolve()
  }

  #take(change: Change): void {
    if (this.#end.signal.aborted) return
    if (change.kind === 'updated') {
      const key = uriKey(change.uri)
      const entry = this.#options.catalogue.get(key)
      if (entry !== undefined) this.#texts.want(entry, true)
      else if (!this.#isWalking) return
      else if (this.#unknown.size < UNKNOWN_CHANGES) this.#unknown.add(key)
      else this.#wantsWalk = true
    } else {
      this.#wantsWalk = true
      if (change.kind === 'lost') this.#readAllAgain(change.under)
    }
    this.#wakeUp()
  }

  #readAllAgain(under: string | undefined): void {
    for (const entry of this.#options.catalogue.entries()) {
      if (entry.state !== 'none' && (under === undefined || covers(under, entry.resource.uri))) this.#texts.want(entry, true)
    }
  }

  #hear(notice: Notice): void {
    this.#options.hear(notice)
  }
}

/** A walk through the list, where one is wanted, and then the reads that wait: it ends, however often things change meanwhile. */
class Round {
  readonly done: Settleable<void> = settleable()
  hasWalked = false
  /** Whether the reads are told from those that come later. */
  isMarked = false

  constructor() {
    // Nobody may wait for it.
    this.done.promise.catch(() => undefined)
  }
}

/** What ends with an error has ended. */
async function letGo(watcher: Watcher | undefined): Promise<void> {
  try {
    await watcher?.[Symbol.asyncDispose]()
  } catch {
    // Nothing more comes of it in any case.
  }
}
