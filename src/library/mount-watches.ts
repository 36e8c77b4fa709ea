import { ShelfError } from '../errors.ts'
import { within } from './budget.ts'
import type { Mount } from './mounts.ts'
import { innerUri, outerChange } from './mounts.ts'
import type { Change, Watcher } from './provider.ts'

/** How long listening waits for a mount to arm. One that takes longer is reported as `lost` when it does. */
const ARM_MS = 1_000

/** What the watches of a Library need of it. */
export interface WatchedMounts {
  readonly all: readonly Mount[]
  /** The mounts that a URI may belong to. */
  mountsOf(uri: string): readonly Mount[]
  /** Settles when a mount has started. */
  started(mount: Mount): Promise<void> | undefined
  emit(change: Change): void
}

/**
 * The watches on the mounts of one Library: one for each, whoever listens, from the first listener to the last.
 * A mount whose watch fails or hangs keeps nobody from hearing of the others; the next listener tries it again.
 */
export class MountWatches {
  readonly #mounts: WatchedMounts
  readonly #watchers = new Map<Mount, Promise<Watcher | undefined>>()
  /** How many listen to each URI. */
  readonly #uris = new Map<string, number>()
  #listening = 0

  constructor(mounts: WatchedMounts) {
    this.#mounts = mounts
  }

  /** Resolves when the mounts are armed, or when those that are not have had their time. */
  async open(): Promise<void> {
    this.#listening++
    await Promise.all(this.#mounts.all.map((mount) => this.#armInTime(mount)))
  }

  async close(): Promise<void> {
    this.#listening--
    if (this.#listening > 0) return
    const watchers = [...this.#watchers.values()]
    this.#watchers.clear()
    this.#uris.clear()
    await Promise.all(watchers.map(disposeLater))
  }

  /** A mount was added while the Library is in use. */
  added(mount: Mount): void {
    if (this.#listening > 0) void this.#armInTime(mount).then((watcher) => this.#join(mount, watcher))
  }

  /** A mount was taken out: nothing of it is heard any more. */
  async removed(mount: Mount): Promise<void> {
    const watcher = this.#watchers.get(mount)
    this.#watchers.delete(mount)
    if (watcher !== undefined) await disposeLater(watcher)
  }

  /** @throws ShelfError `unavailable` when the mount of this URI cannot be watched now */
  async add(uri: string): Promise<void> {
    const count = this.#uris.get(uri) ?? 0
    this.#uris.set(uri, count + 1)
    if (count > 0) return
    try {
      for (const mount of this.#mounts.mountsOf(uri)) {
        const watcher = await this.#armInTime(mount, true)
        if (watcher !== undefined) await addKnown(watcher, innerUri(mount, uri))
      }
    } catch (error) {
      this.remove(uri)
      throw error
    }
  }

  remove(uri: string): void {
    const count = this.#uris.get(uri)
    if (count === undefined) return
    if (count > 1) {
      this.#uris.set(uri, count - 1)
      return
    }
    this.#uris.delete(uri)
    for (const mount of this.#mounts.mountsOf(uri)) {
      this.#watchers.get(mount)?.then(
        (watcher) => watcher?.remove(innerUri(mount, uri)),
        () => undefined,
      )
    }
  }

  async #armInTime(mount: Mount, strict = false): Promise<Watcher | undefined> {
    const arming = this.#arm(mount)
    try {
      return await within(arming, ARM_MS)
    } catch (cause) {
      if (ShelfError.is(cause, 'timeout')) {
        arming.then(
          (watcher) => this.#armedLate(mount, watcher),
          () => undefined,
        )
        return undefined
      }
      if (!strict) return undefined
      throw new ShelfError('unavailable', 'Changes cannot be noticed now', { provider: mount.provider.name }, { cause })
    }
  }

  #arm(mount: Mount): Promise<Watcher | undefined> {
    const known = this.#watchers.get(mount)
    if (known !== undefined) return known
    const { provider } = mount
    const arming = (async () => {
      await this.#mounts.started(mount)
      return provider.watch?.((change) => {
        if (this.#watchers.get(mount) === arming) this.#mounts.emit(outerChange(mount, change))
      })
    })()
    this.#watchers.set(mount, arming)
    arming.catch(() => {
      if (this.#watchers.get(mount) === arming) this.#watchers.delete(mount)
    })
    return arming
  }

  async #armedLate(mount: Mount, watcher: Watcher | undefined): Promise<void> {
    await this.#join(mount, watcher)
    if (this.#watchers.has(mount)) this.#mounts.emit(outerChange(mount, { kind: 'lost' }))
  }

  /** Tells a watcher of the URIs that were listened to before it was there. */
  async #join(mount: Mount, watcher: Watcher | undefined): Promise<void> {
    if (watcher === undefined || !this.#watchers.has(mount)) return
    for (const uri of this.#uris.keys()) {
      if (this.#mounts.mountsOf(uri).includes(mount)) await watcher.add(innerUri(mount, uri)).catch(() => undefined)
    }
  }
}

/** Of mounts that take any URI, each is told; it is not the fault of the others that one does not have it. */
async function addKnown(watcher: Watcher, uri: string): Promise<void> {
  try {
    await watcher.add(uri)
  } catch (error) {
    if (!ShelfError.is(error, 'not-found')) throw error
  }
}

async function disposeLater(arming: Promise<Watcher | undefined>): Promise<void> {
  try {
    const watcher = await within(arming, ARM_MS)
    await watcher?.[Symbol.asyncDispose]()
  } catch {
    arming
      .then(
        (watcher) => watcher?.[Symbol.asyncDispose](),
        () => undefined,
      )
      .catch(() => undefined)
  }
}
