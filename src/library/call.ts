/** Who asks. */
export interface Principal {
  /** `local` on stdio and in memory; else what the authenticator gave. */
  readonly id: string
  readonly kind: 'local' | 'anonymous' | 'authenticated'
  readonly scopes: readonly string[]
  readonly claims: { readonly [name: string]: unknown }
  /** When it is no longer known as that, in milliseconds since 1970: streams end then. Default: never. */
  readonly expiresAt?: number
}

/** The person at this machine: stdio, the memory transport, and loopback HTTP without authentication. */
export const LOCAL: Principal = { id: 'local', kind: 'local', scopes: [], claims: {} }

/** What can be done to a resource; access is decided for each alike. */
export type Operation = 'list' | 'templates' | 'read' | 'stat' | 'children' | 'complete' | 'subscribe'

/** One request on its way through policies and providers. Made once by the Engine. */
export interface Call {
  readonly principal: Principal
  /** Fires when the caller gave up or time is over. A getter: made on first use, since eager costs 5 microseconds. */
  readonly signal: AbortSignal
  /** Whether this principal may do this to this URI. A provider asks again for the object it really opened. */
  allows(operation: Operation, uri: string): boolean
  /**
   * Whether anything that begins with this text may be allowed; without it anything may. What is not need not be asked
   * for: it would be left out.
   */
  reaches?(operation: Operation, prefix: string): boolean
  /** Tells the caller how far long work is, when the caller asked to know. */
  progress?(done: number, total?: number): void
}

/** A Call for code that uses a Library directly: everything is allowed, nothing aborts unless `signal` is given. */
export function localCall(options: { readonly signal?: AbortSignal; readonly principal?: Principal } = {}): Call {
  let signal = options.signal
  return {
    principal: options.principal ?? LOCAL,
    get signal() {
      return (signal ??= new AbortController().signal)
    },
    allows: () => true,
  }
}
