import { ShelfError } from '../errors.ts'
import { within } from './budget.ts'
import type { ChangeSources } from './change-feed.ts'
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
  hear(change: Change): void
}

/** A URI that a mount may have. */
interface Claim {
  /** Settles when the watcher heard of it; undefined as long as it was not told. */
  added: Promise<void> | undefined
}

/**
 * The watches on the mounts of one Library: one for each mount that somebody listens to, because of its set or of one
 * of its URIs, and no longer than that. A mount whose watch fails or hangs keeps nobody from hearing of the others; the
 * next listener tries it again.
 */
export class MountWatches implements ChangeSources {
  readonly #mounts: WatchedMounts
  readonly #watchers = new Map<Mount, Promise<Watcher | undefined>>()
  /** URIs that are listened to. */
  readonly #uris = new Map<string, { count: number; readonly armed: Promise<unknown> }>()
  /** Those of them that each mount may have. */
  readonly #claims = new Map<Mount, Map<string, Claim>>()
  #lists = 0

  constructor(mounts: WatchedMounts) {
    this.#mounts = mounts
  }

  async addLists(): Promise<void> {
    this.#lists++
    await Promise.all(this.#mounts.all.map((mount) => this.#armInTime(mount)))
  }

  async removeLists(): Promise<void> {
    this.#lists--
    if (this.#lists === 0) await Promise.all([...this.#watchers.keys()].map((mount) => this.#disarmIdle(mount)))
  }

  /** @throws ShelfError `unavailable` when the mount of this URI cannot be watched now */
  async add(uri: string): Promise<void> {
    let known = this.#uris.get(uri)
    if (known === undefined) {
      const armed = Promise.all(this.#mounts.mountsOf(uri).map((mount) => this.#addTo(mount, uri)))
      this.#uris.set(uri, (known = { count: 0, armed }))
    }
    known.count++
    await known.armed
  }

  async remove(uri: string): Promise<void> {
    const known = this.#uris.get(uri)
    if (known === undefined || --known.count > 0) return
    this.#uris.delete(uri)
    const work: Promise<void>[] = []
    for (const [mount, claims] of this.#claims) if (claims.has(uri)) work.push(this.#leave(mount, claims, uri))
    await Promise.all(work)
  }

  /** The URIs that are listened to and that this mount may have. */
  listenedOf(mount: Mount): readonly string[] {
    return [...(this.#claims.get(mount)?.keys() ?? [])]
  }

  /** A mount was added while the Library is in use. */
  added(mount: Mount): void {
    let wanted = this.#lists > 0
    for (const uri of this.#uris.keys()) {
      if (!this.#mounts.mountsOf(uri).includes(mount)) continue
      this.#claim(mount, uri)
      wanted = true
    }
    if (wanted) void this.#armInTime(mount)
  }

  /** A mount was taken out: nothing of it is heard any more. */
  async removed(mount: Mount): Promise<void> {
    this.#claims.delete(mount)
    await this.#disarm(mount)
  }

  #claim(mount: Mount, uri: string): Claim {
    let claims = this.#claims.get(mount)
    if (claims === undefined) this.#claims.set(mount, (claims = new Map()))
    const claim: Claim = { added: undefined }
    claims.set(uri, claim)
    return claim
  }

  async #addTo(mount: Mount, uri: string): Promise<void> {
    const claim = this.#claim(mount, uri)
    await this.#armInTime(mount, true)
    try {
      // Undefined for a watch that still arms, and for a URI that was taken back meanwhile.
      if (claim.added !== undefined) await within(claim.added, ARM_MS)
    } catch (error) {
      if (!ShelfError.is(error, 'timeout')) throw error
      claim.added?.then(
        () => this.#mounts.hear({ kind: 'updated', uri }),
        () => undefined,
      )
    }
  }

  async #leave(mount: Mount, claims: Map<string, Claim>, uri: string): Promise<void> {
    const added = claims.get(uri)?.added !== undefined
    claims.delete(uri)
    if (claims.size === 0) this.#claims.delete(mount)
    if (added) {
      this.#watchers
        .get(mount)
        ?.then((watcher) => watcher?.remove(innerUri(mount, uri)))
        .catch(() => undefined)
    }
    await this.#disarmIdle(mount)
  }

  async #disarmIdle(mount: Mount): Promise<void> {
    if (this.#lists === 0 && !this.#claims.has(mount)) await this.#disarm(mount)
  }

  async #disarm(mount: Mount): Promise<void> {
    const arming = this.#watchers.get(mount)
    this.#watchers.delete(mount)
    if (arming !== undefined) await disposeLater(arming)
  }

  /** Resolves when the mount is watched and told of what is listened to, or when it has had its time. */
  async #armInTime(mount: Mount, strict = false): Promise<void> {
    const arming = this.#arm(mount)
    try {
      const watcher = await within(arming, ARM_MS)
      if (this.#watchers.get(mount) === arming) this.#join(mount, watcher)
    } catch (error) {
      if (ShelfError.is(error, 'timeout')) {
        arming.then(
          (watcher) => this.#armedLate(mount, arming, watcher),
          () => undefined,
        )
      } else if (strict) throw error
    }
  }

  #arm(mount: Mount): Promise<Watcher | undefined> {
    const known = this.#watchers.get(mount)
    if (known !== undefined) return known
    const { provider } = mount
    const arming = (async () => {
      try {
        await this.#mounts.started(mount)
        return await provider.watch?.((change) => {
          if (this.#watchers.get(mount) === arming) this.#mounts.hear(outerChange(mount, change))
        })
      } catch (cause) {
        throw new ShelfError('unavailable', 'Changes cannot be noticed now', { provider: provider.name }, { cause })
      }
    })()
    this.#watchers.set(mount, arming)
    arming.catch(() => {
      if (this.#watchers.get(mount) === arming) this.#watchers.delete(mount)
    })
    return arming
  }

  #armedLate(mount: Mount, arming: Promise<Watcher | undefined>, watcher: Watcher | undefined): void {
    if (this.#watchers.get(mount) !== arming) return
    this.#join(mount, watcher)
    this.#mounts.hear(outerChange(mount, { kind: 'lost' }))
  }

  /** Tells a watcher of each URI that is listened to, once. */
  #join(mount: Mount, watcher: Watcher | undefined): void {
    if (watcher === undefined) return
    for (const [uri, claim] of this.#claims.get(mount) ?? []) {
      if (claim.added !== undefined) continue
      claim.added = addKnown(watcher, innerUri(mount, uri))
      claim.added.catch(() => undefined)
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
