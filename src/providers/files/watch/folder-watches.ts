import { watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { joinPath, nameOf } from '../paths.ts'
import { placeOf } from '../root.ts'
import type { FilesRoot } from '../root.ts'

/** With more folders the rest is left to looks: a watch costs about 2 KiB here, and one of those that all programs share. */
const MOST = 20_000

/** Where the system watches a folder with all that is below it; on Linux each folder needs a watch of its own. */
const WHOLE_TREES = process.platform === 'darwin' || process.platform === 'win32'

export interface FolderWatchesEvents {
  /** A path below the root that may have changed. */
  changed(path: string): void
  /** A folder cannot be watched. */
  refused(reason: unknown): void
}

/** What the system is asked to tell of: the folders of a root. They keep no process alive. */
export class FolderWatches {
  readonly #root: FilesRoot
  readonly #events: FolderWatchesEvents
  readonly #open = new Map<string, FSWatcher>()
  /** Folders that were removed or moved, as it seems: another one in their place may have the same inode. */
  readonly #left = new Set<string>()

  constructor(root: FilesRoot, events: FolderWatchesEvents) {
    this.#root = root
    this.#events = events
  }

  has(path: string): boolean {
    return this.#open.has(WHOLE_TREES ? '' : path)
  }

  /** Whether the folder that was watched at a path may no longer be the one that stands there. */
  hasLeft(path: string): boolean {
    return this.#left.has(path)
  }

  /** Watches the folder that stands at a path now, instead of one that stood there. */
  add(path: string): void {
    if (WHOLE_TREES && path !== '') return
    this.remove(path)
    if (this.#open.size >= MOST) return this.#events.refused(new Error(`it has more than ${MOST} folders`))
    try {
      const options = { persistent: false, recursive: WHOLE_TREES }
      const own = nameOf(placeOf(this.#root, path))
      const watcher = watch(placeOf(this.#root, path), options, (event, name) => {
        // What happens to the folder itself is told under its own name.
        if (event === 'rename' && name === own) this.#left.add(path)
        this.#events.changed(name === null ? path : joinPath(path, name.replaceAll('\\', '/')))
      })
      watcher.on('error', (reason) => {
        this.remove(path)
        this.#events.refused(reason)
      })
      this.#open.set(path, watcher)
    } catch (reason) {
      this.#events.refused(reason)
    }
  }

  remove(path: string): void {
    this.#open.get(path)?.close()
    this.#open.delete(path)
    this.#left.delete(path)
  }

  clear(): void {
    for (const watcher of this.#open.values()) watcher.close()
    this.#open.clear()
  }
}
