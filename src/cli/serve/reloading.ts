import { closeSync, openSync } from 'node:fs'
import { basename } from 'node:path'
import type { HttpServer } from '../../transports/http/index.ts'
import { say } from '../output.ts'
import type { Origin } from './origin.ts'
import type { OpenMount } from './mounts.ts'
import type { Served } from './served.ts'
import type { Settings } from './settings.ts'
import { unfitForHttp } from './unfit-for-http.ts'

/** What a file of settings is read again for. */
export interface Reloaded {
  readonly path: string
  readonly origin: Origin
  readonly served: Served
  /** Absent on stdio. */
  readonly server?: Pick<HttpServer, 'replace'>
  /** What the server was started with. */
  readonly started: Settings
  /** Told of mounts that came. */
  readonly onMounts: (mounts: readonly OpenMount[]) => void
}

/**
 * Puts other settings in place of those that are used, one reload after the other; however often it is asked for one
 * meanwhile, there is one more. A file that cannot be used changes nothing, and is told of once.
 */
export class Reloading {
  readonly #reloaded: Reloaded
  #last: Promise<void> = Promise.resolve()
  /** The reload that is not begun yet: it will read what the file says then. */
  #next: Promise<void> | undefined
  #told = ''

  constructor(reloaded: Reloaded) {
    this.#reloaded = reloaded
  }

  /** Reads the file, and does what it says. Never rejects. */
  reload(): Promise<void> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined
      return this.#reload()
    })
    return (this.#last = this.#next)
  }

  async #reload(): Promise<void> {
    const { path, origin, started } = this.#reloaded
    try {
      const settings = origin.read()
      const changes = await this.#use(settings)
      const late = lateIn(started, settings)
      const done = [...changes, ...late.map((name) => `${name} at the next start`)]
      say(`${basename(path)}: read again: ${done.length === 0 ? 'nothing is different' : done.join(', ')}`)
      this.#told = ''
    } catch (error) {
      const why = origin.explained(error)
      const message = `${why instanceof Error ? why.message : String(why)}\n  What was read before holds on.`
      if (message !== this.#told) say(message)
      this.#told = message
    }
  }

  async #use(settings: Settings): Promise<readonly string[]> {
    const { served, server, onMounts } = this.#reloaded
    const prepared = await served.prepare(settings)
    try {
      // The last that can refuse.
      server?.replace(prepared.admission)
    } catch (error) {
      await prepared.abandon()
      throw unfitForHttp(error)
    }
    const before = served.mounts
    const changes = prepared.commit()
    onMounts(served.mounts.filter((mount) => !before.includes(mount)))
    return changes
  }
}

/** What is different and cannot be done while the server runs. */
function lateIn(started: Settings, now: Settings): readonly string[] {
  const { host, port, tls, behindProxy, limits } = started.http ?? {}
  const pairs: readonly (readonly [name: string, before: unknown, now: unknown])[] = [
    ['name', started.name, now.name],
    ['tools', started.tools, now.tools],
    ['http.listen', [host, port], [now.http?.host, now.http?.port]],
    ['http.tls', tls, now.http?.tls],
    ['http.behindProxy', behindProxy, now.http?.behindProxy],
    ['limits of http', limits, now.http?.limits],
    ['limits', started.limits, now.limits],
  ]
  return pairs.filter(([, before, after]) => JSON.stringify(before) !== JSON.stringify(after)).map(([name]) => name)
}

/**
 * Tells whether a SIGHUP means that the terminal is closed which this process was started in. Else somebody sent it, for
 * settings to be read again.
 */
export function terminalCloses(): () => boolean {
  const had = hasTerminal()
  return () => had && !hasTerminal()
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
