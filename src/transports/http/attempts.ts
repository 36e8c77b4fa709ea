import { createHash } from 'node:crypto'
import type { Clock } from '../../protocol/index.ts'

/** Tokens that are nobody's which one address may come with at once, and again in how long. */
const BURST = 10
const REFILL_MS = 60_000

/** Addresses that are told apart; beyond it, the one that failed longest ago begins anew. */
const ADDRESSES = 10_000

/** Tokens that were good lately, by hash. */
const KNOWN = 10_000

/** One token that is being looked at. */
export interface Attempt {
  /** `unknown` when it could not be found out. */
  ended(outcome: 'good' | 'bad' | 'unknown'): void
}

/**
 * Bounds how often each address may come with tokens that are nobody's. Where many share an address, one who guesses must
 * not lock out the others: a token that was good lately is looked at however many failed, and the first time that it is
 * not, since tokens expire, does not count.
 */
export class Attempts {
  readonly #clock: Clock
  /** How many are left, and when that was so. Who failed last is the last. */
  readonly #left = new Map<string, { readonly left: number; readonly at: number }>()
  readonly #known = new Set<string>()
  /** How often each token is being looked at: many requests with one new token are one attempt. */
  readonly #pending = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** A token that may be looked at now; or in how many milliseconds the next one may be. */
  begin(address: string, token: string): Attempt | number {
    const hash = createHash('sha256').update(token).digest('base64')
    const free = this.#known.has(hash) || this.#pending.has(hash)
    const network = networkOf(address)
    if (!free) {
      const left = this.#leftOf(network)
      if (left < 1) return Math.ceil((1 - left) * (REFILL_MS / BURST))
      this.#set(network, left - 1)
    }
    this.#pending.set(hash, (this.#pending.get(hash) ?? 0) + 1)
    return { ended: (outcome) => this.#end(hash, network, free, outcome) }
  }

  #end(hash: string, network: string, free: boolean, outcome: 'good' | 'bad' | 'unknown'): void {
    const pending = this.#pending.get(hash)! - 1
    if (pending === 0) this.#pending.delete(hash)
    else this.#pending.set(hash, pending)
    if (outcome !== 'bad' && !free) this.#set(network, this.#leftOf(network) + 1)
    if (outcome === 'good') this.#remember(hash)
    else if (outcome === 'bad') this.#known.delete(hash)
  }

  #remember(hash: string): void {
    // Last used, last forgotten.
    this.#known.delete(hash)
    if (this.#known.size >= KNOWN) this.#known.delete(this.#known.values().next().value!)
    this.#known.add(hash)
  }

  #leftOf(network: string): number {
    const entry = this.#left.get(network)
    if (entry === undefined) return BURST
    return Math.min(BURST, entry.left + ((this.#clock.monotonic() - entry.at) * BURST) / REFILL_MS)
  }

  #set(network: string, left: number): void {
    this.#left.delete(network)
    if (left >= BURST) return
    if (this.#left.size >= ADDRESSES) this.#left.delete(this.#left.keys().next().value!)
    this.#left.set(network, { left, at: this.#clock.monotonic() })
  }
}

/** What one party has of addresses: one of IPv4, a /64 of IPv6. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!address.includes(':')) return address
  const [head = '', tail] = address.replace(/%.*/, '').split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}
