import { normalUri } from '../uri/index.ts'
import type { Feed } from './feed.ts'
import type { Mount, MountTable } from './mounts.ts'
import { innerUri, outerChange } from './mounts.ts'
import type { Change, Watcher } from './provider.ts'

/** One watch on a Library: its own changes, and those of the mounts that watch, as seen from outside. */
export class LibraryWatch implements Watcher {
  readonly #mounts: MountTable
  readonly #onChange: (change: Change) => void
  readonly #stop: () => void
  readonly #watchers = new Map<Mount, Promise<Watcher>>()
  /** URIs of interest by normal form, so that a mount that comes later hears of them. */
  readonly #uris = new Map<string, string>()

  constructor(mounts: MountTable, feed: Feed, onChange: (change: Change) => void) {
    this.#mounts = mounts
    this.#onChange = onChange
    this.#stop = feed.listen(onChange)
  }

  /** Resolves when changes of this mount will be heard. */
  async attach(mount: Mount): Promise<void> {
    const armed = mount.provider.watch?.((change) => this.#onChange(outerChange(mount, change)))
    if (armed === undefined) return
    this.#watchers.set(mount, armed)
    const watcher = await armed
    for (const [key, uri] of this.#uris) if (this.#mounts.owner(key) === mount) await watcher.add(innerUri(mount, uri))
  }

  async detach(mount: Mount): Promise<void> {
    const armed = this.#watchers.get(mount)
    this.#watchers.delete(mount)
    await (await armed)?.[Symbol.asyncDispose]()
  }

  async add(uri: string): Promise<void> {
    const key = normalUri(uri) ?? uri
    this.#uris.set(key, uri)
    for (const [mount, armed] of this.#interested(key)) await (await armed).add(innerUri(mount, uri))
  }

  remove(uri: string): void {
    const key = normalUri(uri) ?? uri
    this.#uris.delete(key)
    for (const [mount, armed] of this.#interested(key)) void armed.then((watcher) => watcher.remove(innerUri(mount, uri)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop()
    await Promise.all([...this.#watchers.keys()].map((mount) => this.detach(mount)))
  }

  /** The mount that owns a URI, else all that take any. */
  *#interested(key: string): Iterable<[Mount, Promise<Watcher>]> {
    const owner = this.#mounts.owner(key)
    for (const mount of owner === undefined ? this.#mounts.catchAll : [owner]) {
      const armed = this.#watchers.get(mount)
      if (armed !== undefined) yield [mount, armed]
    }
  }
}
