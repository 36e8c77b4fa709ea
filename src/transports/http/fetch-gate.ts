import { allowed, Gate, LOOPBACK } from './gate.ts'
import type { Allowed } from './gate.ts'
import type { Refusal } from './refusal.ts'

/**
 * The Gate of a server that knows neither its port nor whether TLS ends before it. A browser names the port that it
 * speaks to, so the port of this machine's names is that of the request: its pages may call, those of other ports may not.
 */
export class FetchGate {
  readonly #hosts: readonly string[]
  readonly #origins: readonly string[]
  /** The last ones, since most requests name the same host: that of the URL, and that of the header. */
  readonly #gates: Partial<Record<'url' | 'header', { readonly key: string; readonly gate: Gate }>> = {}

  /**
   * @param own hosts under which clients come anyway
   * @throws ShelfError `invalid-option` for an allowed value that no request can have
   */
  constructor(options: Allowed, own: readonly string[]) {
    const { hosts, origins } = allowed(options)
    this.#hosts = [...own, ...hosts]
    this.#origins = origins
  }

  /**
   * Why a request must be refused, if it must. Some servers make the URL of the `Host` header, others of their own
   * address: both are looked at, where both can be seen.
   */
  refusal({ headers }: Request, url: URL): Refusal | undefined {
    const { host, protocol, username, password } = url
    const named = headers.get('host') ?? host
    const userinfo = username === '' && password === '' ? '' : `${username}:${password}@`
    return (
      this.#of('url', host, protocol).refusal(userinfo + host, undefined) ??
      this.#of('header', named, protocol).refusal(named, headers.get('origin') ?? undefined)
    )
  }

  #of(source: 'url' | 'header', host: string, protocol: string): Gate {
    const key = `${protocol}${host.toLowerCase()}`
    const known = this.#gates[source]
    if (known?.key === key) return known.gate
    const gate = this.#build(host.toLowerCase(), protocol)
    this.#gates[source] = { key, gate }
    return gate
  }

  #build(host: string, protocol: string): Gate {
    const port = /(?::\d{1,5})?$/.exec(host)?.[0] ?? ''
    const own = LOOPBACK.map((name) => name + port)
    const hosts = [...(own.includes(host) ? own : []), ...this.#hosts]
    // Where TLS ends before this process, a page of https calls what looks like http from here.
    const schemes = protocol === 'https:' ? ['https'] : ['http', 'https']
    return new Gate(hosts, [...hosts.flatMap((name) => schemes.map((scheme) => `${scheme}://${name}`)), ...this.#origins])
  }
}
