import type { Config, FileFollower } from '../config/index.ts'
import type { Given } from './given.ts'
import { settingsFrom } from './given.ts'
import type { Reloaded } from './reloading.ts'
import type { Settings } from './settings.ts'
import { UnfitSettings } from './settings.ts'

/** Where settings come from. */
export interface Origin {
  /** Reads them, anew each time. Throws an error for people. */
  read(): Settings
  /** The error for people when settings, as they were read last, cannot be used. */
  explained(error: unknown): unknown
  /**
   * Has them read again whenever they change. What it gives is for SIGHUP, which does the same at once; it is false where
   * the signal says that the terminal is closed.
   */
  followed?(reloaded: Omit<Reloaded, 'path' | 'origin'>): Promise<() => boolean>
}

/** Settings of the command line alone. */
export class CommandLine implements Origin {
  readonly #given: Given
  readonly #sources: readonly string[]

  constructor(given: Given, sources: readonly string[]) {
    this.#given = given
    this.#sources = sources
  }

  read(): Settings {
    try {
      return settingsFrom(this.#given, this.#sources)
    } catch (error) {
      throw this.explained(error)
    }
  }

  explained(error: unknown): unknown {
    return error instanceof UnfitSettings ? error.all[0]?.error : error
  }
}

/** Settings of a file, among which those of the command line win. */
export class ConfigFile implements Origin {
  readonly #path: string
  readonly #given: Given
  readonly #sources: readonly string[]
  readonly #config: typeof import('../config/index.ts')
  readonly #follower: FileFollower
  #last: Config | undefined

  private constructor(path: string, given: Given, sources: readonly string[], config: typeof import('../config/index.ts')) {
    this.#path = path
    this.#given = given
    this.#sources = sources
    this.#config = config
    // Before it is read for the first time, so that no change is missed.
    this.#follower = new config.FileFollower(path)
  }

  /** Loads what reads such a file. */
  static async open(path: string, given: Given, sources: readonly string[]): Promise<ConfigFile> {
    return new ConfigFile(path, given, sources, await import('../config/index.ts'))
  }

  read(): Settings {
    this.#last = this.#config.readConfig(this.#path, process.env)
    try {
      return settingsFrom(this.#given, this.#sources, this.#last.settings)
    } catch (error) {
      throw this.explained(error)
    }
  }

  explained(error: unknown): unknown {
    return error instanceof UnfitSettings ? this.#last?.located(error) : error
  }

  async followed(reloaded: Omit<Reloaded, 'path' | 'origin'>): Promise<() => boolean> {
    const { Reloading, terminalCloses } = await import('./reloading.ts')
    const reloading = new Reloading({ ...reloaded, path: this.#path, origin: this })
    this.#follower.follow(() => void reloading.reload())
    const closes = terminalCloses()
    return () => {
      if (closes()) return false
      void reloading.reload()
      return true
    }
  }
}
