/**
 * Authenticated encryption of short texts that a peer carries for us (cursors, request state).
 * Synchronous: AES-256-GCM of node:crypto takes about 10 microseconds, WebCrypto about 50.
 */
export interface Sealer {
  /** URL-safe text that only a Sealer with the same key opens, and only with the same `bound` text. */
  seal(plain: string, bound: string): string
  /** What was sealed, or undefined if the text is forged, foreign or bound to something else. */
  open(sealed: string, bound: string): string | undefined
}

/** Time, injected so that tests own it. */
export interface Clock {
  /** Milliseconds that only go forward. */
  monotonic(): number
  /** Milliseconds since 1970. */
  wall(): number
  /** Calls back once after `ms`; the returned function calls it off. Never keeps a process alive. */
  after(ms: number, call: () => void): () => void
}
