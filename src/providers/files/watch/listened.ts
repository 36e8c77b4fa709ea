import type { Change } from '../../../library/index.ts'
import type { FilesContext } from '../context.ts'
import { parentOf } from '../paths.ts'
import type { Fingerprint } from './fingerprint.ts'
import { ABSENT, fingerprint } from './fingerprint.ts'

interface Listened {
  readonly uri: string
  readonly path: string
  /** What it was when last looked at. */
  known: Fingerprint
  /** The contents that were told last; undefined until it was looked at for the first time. */
  told: string | undefined
  /** Settles then. */
  ready: Promise<void>
}

/** The files and folders that somebody listens to, each with what it was when last looked at. */
export class ListenedFiles {
  readonly #context: FilesContext
  readonly #byUri = new Map<string, Listened>()

  constructor(context: FilesContext) {
    this.#context = context
  }

  /** Resolves when a change from now on will be found. */
  add(uri: string, path: string): Promise<void> {
    const known = this.#byUri.get(uri)
    if (known !== undefined) return known.ready
    const listened: Listened = { uri, path, known: ABSENT, told: undefined, ready: Promise.resolve() }
    this.#byUri.set(uri, listened)
    return (listened.ready = this.#begin(listened))
  }

  remove(uri: string): void {
    this.#byUri.delete(uri)
  }

  clear(): void {
    this.#byUri.clear()
  }

  /** Looks at those that changed paths may concern, at all of them without `paths`; says how many are not what they were. */
  async look(paths?: ReadonlySet<string>): Promise<number> {
    let moves = 0
    const parents = new Set([...(paths ?? [])].map(parentOf))
    for (const listened of this.#byUri.values()) {
      if (listened.told === undefined || (paths !== undefined && !concerns(listened, paths, parents))) continue
      const { known } = listened
      // One that cannot be looked at now is as it was, and costs the others nothing; the next look tries again.
      listened.known = await fingerprint(this.#context, listened.path, known).catch(() => known)
      if (listened.known.contents !== known.contents) moves++
    }
    return moves
  }

  async #begin(listened: Listened): Promise<void> {
    listened.known = await fingerprint(this.#context, listened.path)
    listened.told = listened.known.contents
  }

  /** Those whose contents are other than was told last, once. */
  *changes(): Generator<Change> {
    for (const listened of this.#byUri.values()) {
      const { uri, known, told } = listened
      if (told === undefined || known.contents === told) continue
      listened.told = known.contents
      yield { kind: 'updated', uri, ...(known.version !== undefined && { version: known.version }) }
    }
  }
}

/** A change of the place itself, of where it really lies, of a folder above either, or of what stands in it. */
function concerns({ path, known }: Listened, paths: ReadonlySet<string>, parents: ReadonlySet<string>): boolean {
  return (
    isTouched(path, paths) ||
    parents.has(path) ||
    (known.real !== undefined && known.real !== path && isTouched(known.real, paths))
  )
}

function isTouched(path: string, paths: ReadonlySet<string>): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) if (paths.has(path.slice(0, end))) return true
  return paths.has('')
}
