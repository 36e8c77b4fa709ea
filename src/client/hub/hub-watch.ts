import type { Change, Watcher } from '../../library/index.ts'
import { settleable } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Watch, WatchEvent } from '../watch/index.ts'
import type { HubServer, Named } from './server.ts'

/** A server that cannot be reached is tried again after this, in milliseconds. */
const AGAIN_MS = 30_000

export interface HubWatchOptions {
  readonly servers: readonly HubServer[]
  readonly clock: Clock
  /** How long one server may take before the others are watched without it, in milliseconds. */
  readonly budgetMs: number
  /** @throws ShelfError `not-found` for a URI that does not say whose it is */
  named(uri: string): Named
  onChange(change: Change): void
}

/** Changes of all servers as one stream, under the names that their URIs have outside. */
export class HubWatch implements Watcher {
  readonly #options: HubWatchOptions
  readonly #uris = new Map<string, Watch>()
  readonly #sets = new Map<HubServer, Watch>()
  readonly #waiting = new Map<HubServer, () => void>()
  #over = false

  constructor(options: HubWatchOptions) {
    this.#options = options
  }

  /** Settles when every server is watched, or is known to be out of reach, or has had its time. */
  async arm(): Promise<this> {
    const { clock, budgetMs, servers } = this.#options
    const late = settleable<void>()
    let isLate = false
    const arming = Promise.all(servers.map((server) => this.#keep(server, () => isLate)))
    const callOff = clock.after(budgetMs, () => {
      isLate = true
      late.resolve()
    })
    await Promise.race([arming, late.promise])
    callOff()
    return this
  }

  /** Watches the set of a server for as long as this lasts; settles when the first attempt has. */
  async #keep(server: HubServer, isLate: () => boolean): Promise<void> {
    if (this.#over) return
    const watch = server.client.watch('list')
    this.#sets.set(server, watch)
    void this.#follow(server, watch).then((failed) => {
      if (failed && !this.#over) this.#tryAgain(server)
    })
    try {
      await watch.ready
    } catch {
      return
    }
    // What it has now may be anything: it was not watched when it should have been.
    if (isLate()) this.#tell(server, { kind: 'resync' })
  }

  #tryAgain(server: HubServer): void {
    const callOff = this.#options.clock.after(AGAIN_MS, () => {
      this.#waiting.delete(server)
      void this.#keep(server, () => true)
    })
    this.#waiting.set(server, callOff)
  }

  /** True if it ended by a failure. */
  async #follow(server: HubServer, watch: Watch): Promise<boolean> {
    try {
      for await (const event of watch) this.#tell(server, event)
      return false
    } catch {
      return true
    }
  }

  #tell(server: HubServer, event: WatchEvent): void {
    if (!this.#over) this.#options.onChange(changeOf(server, event))
  }

  /** @throws ShelfError `not-found` for a URI that does not say whose it is; what kept its server from being asked */
  async add(uri: string): Promise<void> {
    const { server, inner } = this.#options.named(uri)
    const known = this.#uris.get(uri)
    if (known !== undefined) return known.ready
    const watch = server.client.watch([inner])
    this.#uris.set(uri, watch)
    void this.#follow(server, watch).then(() => {
      if (this.#uris.get(uri) === watch) this.#uris.delete(uri)
    })
    await watch.ready
  }

  remove(uri: string): void {
    const watch = this.#uris.get(uri)
    this.#uris.delete(uri)
    watch?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over = true
    for (const callOff of this.#waiting.values()) callOff()
    for (const watch of [...this.#sets.values(), ...this.#uris.values()]) watch.close()
    this.#waiting.clear()
    this.#uris.clear()
  }
}

/** A gap is told of each URI that was watched, and of the set. */
function changeOf(server: HubServer, event: WatchEvent): Change {
  if (event.kind !== 'list' && event.uri !== undefined) return { kind: 'updated', uri: server.outer(event.uri) }
  return { kind: 'list', ...(server.qualifier !== '' && { under: server.qualifier }) }
}
