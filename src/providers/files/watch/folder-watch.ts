import { statSync } from 'node:fs'
import { notFound } from '../../../errors.ts'
import { systemClock } from '../../../library/index.ts'
import type { Change, Watcher } from '../../../library/index.ts'
import type { FilesContext } from '../context.ts'
import { isAbsence } from '../failures.ts'
import { locate } from '../locate.ts'
import { joinPath, nameOf } from '../paths.ts'
import { DirtyPaths } from './dirty-paths.ts'
import { FolderWatches } from './folder-watches.ts'
import { ListenedFiles } from './listened.ts'
import { Rounds } from './rounds.ts'
import { noChange, TreeNames } from './tree-names.ts'

/** Quiet after which what changed is looked at. */
const QUIET_MS = 50
/** What a look found is told when another one after this finds the same: a save, or a checkout, takes less for one file. */
const CONFIRM_MS = 100
/** And is told this long after the first hint although it goes on changing. */
const LONGEST_MS = 700
/** How often the root itself is looked at: of one that was made anew the system tells nobody. */
const PULSE_MS = 500
/** After this many paths in one look the system may have dropped some. */
const BURST = 500
/** How long after a burst everything is looked at. */
const AFTER_BURST_MS = 500
/** When the system is asked again after it refused. */
const RETRY_MS = 30_000

export interface FolderWatchOptions {
  /** Do not ask the system, look. */
  readonly poll: boolean
  /** Told once why nothing but looking is left. */
  readonly warn: (message: string) => void
}

/**
 * The watch on one root. The system's hints say where to look; what is told is only what a look found: files came or
 * went, or a listened file has other contents. Everything is looked at from time to time all the same, and more often
 * where the system cannot tell.
 */
export class FolderWatch implements Watcher {
  readonly #context: FilesContext
  readonly #options: FolderWatchOptions
  readonly #onChange: (change: Change) => void
  readonly #folders: FolderWatches
  readonly #tree: TreeNames
  readonly #listened: ListenedFiles
  readonly #dirty = new DirtyPaths()
  readonly #rounds: Rounds
  #change = noChange()
  #refusedAt: number | undefined
  #warned = false
  #closed = false
  #firstHint: number | undefined
  #stopLook: (() => void) | undefined
  #stopPulse: (() => void) | undefined
  #looking: Promise<void> = Promise.resolve()

  private constructor(context: FilesContext, options: FolderWatchOptions, onChange: (change: Change) => void) {
    this.#context = context
    this.#options = options
    this.#onChange = onChange
    this.#folders = new FolderWatches(context.root, {
      changed: (path) => this.#hint(path),
      refused: (reason) => this.#refuse(reason),
    })
    this.#tree = new TreeNames(context, {
      appeared: (path) => {
        if (!options.poll && !this.#closed) this.#folders.add(path)
      },
      gone: (path) => this.#folders.remove(path),
      hasLeft: (path) => this.#folders.hasLeft(path),
    })
    this.#listened = new ListenedFiles(context)
    this.#rounds = new Rounds(() => this.#lookAtAll())
  }

  /** Resolves when every change from now on will be found. */
  static async open(
    context: FilesContext,
    options: FolderWatchOptions,
    onChange: (change: Change) => void,
  ): Promise<FolderWatch> {
    const watch = new FolderWatch(context, options, onChange)
    try {
      await watch.#tree.fill()
    } catch (error) {
      await watch[Symbol.asyncDispose]()
      throw error
    }
    watch.#rounds.start(watch.#isTold)
    watch.#pulse()
    return watch
  }

  async add(uri: string): Promise<void> {
    const place = locate(this.#context, uri)
    if (place === undefined) throw notFound(uri)
    if (this.#closed) return
    try {
      await this.#listened.add(uri, place.path)
    } catch (error) {
      this.remove(uri)
      throw error
    }
  }

  remove(uri: string): void {
    this.#listened.remove(uri)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#stopLook?.()
    this.#stopPulse?.()
    this.#rounds.stop()
    this.#folders.clear()
    this.#listened.clear()
    await this.#looking
  }

  /** Whether the system tells of all folders. */
  get #isTold(): boolean {
    return !this.#options.poll && this.#refusedAt === undefined
  }

  /** A path below the root may have changed. */
  #hint(path: string): void {
    if (this.#closed) return
    this.#dirty.add(path)
    this.#lookSoon(QUIET_MS)
  }

  #lookSoon(ms: number): void {
    const now = performance.now()
    this.#firstHint ??= now
    this.#stopLook?.()
    this.#stopLook = systemClock.after(Math.max(0, Math.min(ms, this.#firstHint + LONGEST_MS - now)), () => {
      this.#stopLook = undefined
      void this.#look()
    })
  }

  /** One look at a time, in order. */
  #look(): Promise<void> {
    return (this.#looking = this.#looking.then(() => this.#lookAtDirty()).catch(() => this.#dirty.addAll()))
  }

  #lookAtAll(): Promise<void> {
    this.#dirty.addAll()
    return this.#look()
  }

  async #lookAtDirty(): Promise<void> {
    if (this.#closed || this.#dirty.isEmpty) return
    const names = this.#dirty.take()
    const change = this.#change
    const before = change.moves
    const paths = new Set<string>()
    let all = names === undefined
    for (const [folder, some] of names ?? []) {
      for (const name of some) paths.add(joinPath(folder, name))
      all ||= some.has('.gitignore')
    }
    for (const path of names === undefined ? [] : await this.#tree.look(names, change)) paths.add(path)
    if (all) {
      this.#context.exposure.refresh()
      await this.#tree.reconcile(change)
    }
    if (paths.size >= BURST) this.#rounds.soon(AFTER_BURST_MS)
    const moves = change.moves - before + (await this.#listened.look(all ? undefined : paths))
    const now = performance.now()
    this.#firstHint ??= now
    if (this.#dirty.isEmpty && moves === 0) this.#firstHint = undefined
    else if (now - this.#firstHint < LONGEST_MS) {
      if (names === undefined) this.#dirty.addAll()
      for (const path of paths) this.#dirty.add(path)
      this.#lookSoon(CONFIRM_MS)
      return
    } else this.#firstHint = now
    this.#tell()
  }

  #tell(): void {
    if (this.#closed) return
    const change = this.#change
    this.#change = noChange()
    for (const updated of this.#listened.changes()) this.#onChange(updated)
    const [folder, ...others] = this.#tree.changed(change)
    if (folder === undefined) return
    const { uris } = this.#context
    this.#onChange({ kind: 'list', under: (others.length === 0 ? uris.uriOf(folder) : undefined) ?? uris.root })
  }

  #pulse(): void {
    this.#stopPulse = systemClock.after(PULSE_MS, () => {
      if (this.#closed) return
      this.#beat()
      this.#pulse()
    })
  }

  #beat(): void {
    if (identityOf(this.#context.root.real) !== this.#tree.rootIdentity) {
      this.#dirty.addAll()
      this.#lookSoon(QUIET_MS)
    }
    if (this.#refusedAt === undefined || performance.now() - this.#refusedAt < RETRY_MS) return
    this.#refusedAt = undefined
    for (const path of this.#tree.folders()) {
      if (this.#isTold && !this.#folders.has(path)) this.#folders.add(path)
    }
    this.#rounds.start(this.#isTold)
    this.#rounds.soon(0)
  }

  /** The system cannot tell of a folder: looks must find what happens there. */
  #refuse(reason: unknown): void {
    if (this.#closed || isAbsence(reason)) return
    this.#refusedAt ??= performance.now()
    this.#rounds.start(false)
    if (this.#warned) return
    this.#warned = true
    const { real } = this.#context.root
    const why = reason instanceof Error ? reason.message.replace(/, watch '.*/s, '') : String(reason)
    this.#options.warn(
      `Changes in ${nameOf(real) || real} are found by looking every few seconds, since the system cannot tell of all of them: ${why}`,
    )
  }
}

/** Undefined for what is not there, or cannot be reached. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
