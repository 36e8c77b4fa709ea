import { nameOf, parentOf } from '../paths.ts'

/** With more paths waiting, everything is looked at. */
const MOST = 50_000

/** Paths that may have changed and wait to be looked at. */
export class DirtyPaths {
  #names = new Map<string, Set<string>>()
  #count = 0
  #everything = false

  add(path: string): void {
    if (path === '') this.#everything = true
    if (this.#everything) return
    const folder = parentOf(path)
    const names = this.#names.get(folder)
    if (names === undefined) this.#names.set(folder, new Set([nameOf(path)]))
    else names.add(nameOf(path))
    if (++this.#count > MOST) this.addAll()
  }

  addAll(): void {
    this.#everything = true
    this.#names.clear()
  }

  get isEmpty(): boolean {
    return !this.#everything && this.#names.size === 0
  }

  /** What waited: names by folder, or undefined for everything. */
  take(): ReadonlyMap<string, ReadonlySet<string>> | undefined {
    const names = this.#everything ? undefined : this.#names
    this.#names = new Map()
    this.#count = 0
    this.#everything = false
    return names
  }
}
