import type { Clock } from '../../../protocol/index.ts'

/** So long keys are used whatever the issuer says by now, in milliseconds. A key that is withdrawn is good for as long. */
export const FRESH_MS = 5 * 60_000
/** So long before that they are asked for, so that nobody waits who comes now and then. */
export const AHEAD_MS = 60_000
/** So much longer keys are used while they cannot be asked for. */
export const GRACE_MS = 10 * 60_000
/** The issuer is asked no more often than this, whatever comes. */
export const AGAIN_MS = 10_000
/** So long a key that the issuer did not have is not asked for. */
export const ABSENT_MS = 5 * 60_000

/** Absent keys that are remembered. Tokens with made-up ones cost the issuer nothing either way. */
const MAX_ABSENT = 1_000

/** Keys by their ids. */
export interface Keyed {
  readonly kids: ReadonlySet<string>
}

/** The keys of an issuer, kept and asked for again as their ids come and go. */
export class KeySet<Keys extends Keyed> {
  readonly #load: () => Promise<Keys>
  readonly #clock: Clock
  readonly #absent = new Map<string, number>()
  #keys: Keys | undefined
  #loadedAt = -Infinity
  #askedAt = -Infinity
  #failure: unknown
  #loading: Promise<Keys> | undefined

  constructor(load: () => Promise<Keys>, clock: Clock) {
    this.#load = load
    this.#clock = clock
  }

  /** The keys to look in for this id, if it is there. Rejects while that cannot be found out. */
  async with(kid: string | undefined): Promise<Keys | undefined> {
    const now = this.#clock.monotonic()
    const age = now - this.#loadedAt
    const known = this.#keys !== undefined && has(this.#keys, kid) && age < FRESH_MS + GRACE_MS ? this.#keys : undefined
    if (known !== undefined && age < FRESH_MS - AHEAD_MS) return known
    if (known === undefined && age < FRESH_MS && kid !== undefined && now < (this.#absent.get(kid) ?? -Infinity)) return undefined
    const loading = this.#reload(now)
    if (known !== undefined && (age < FRESH_MS || this.#failure !== undefined)) {
      loading.catch(() => undefined)
      return known
    }
    // Keys that nobody asked about for long may be withdrawn by now, so they are known only if that cannot be found out.
    const keys = await (known === undefined ? loading : loading.catch(() => known))
    if (has(keys, kid)) return keys
    // Only an answer to a question that was put after the token came says that its key is not there.
    if (kid !== undefined && this.#loadedAt >= now) this.#remember(kid, now)
    return undefined
  }

  /** One question at a time, and its outcome for all until the next may be put. */
  #reload(now: number): Promise<Keys> {
    if (this.#loading !== undefined) return this.#loading
    if (now - this.#askedAt < AGAIN_MS)
      return this.#failure === undefined ? Promise.resolve(this.#keys!) : Promise.reject(this.#failure)
    this.#askedAt = now
    this.#loading = this.#load()
      .then(
        (keys) => {
          this.#keys = keys
          this.#loadedAt = now
          this.#failure = undefined
          return keys
        },
        (error: unknown) => {
          this.#failure = error
          throw error
        },
      )
      .finally(() => {
        this.#loading = undefined
      })
    return this.#loading
  }

  #remember(kid: string, now: number): void {
    this.#absent.delete(kid)
    if (this.#absent.size >= MAX_ABSENT) this.#absent.delete(this.#absent.keys().next().value!)
    this.#absent.set(kid, now + ABSENT_MS)
  }
}

/** A token without an id is of the one key that fits, which is for whoever verifies it. */
function has({ kids }: Keyed, kid: string | undefined): boolean {
  return kid === undefined || kids.has(kid)
}
