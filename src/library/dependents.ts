import { uriKey } from '../uri/index.ts'
import { covers } from './mounts.ts'
import type { Change } from './provider.ts'

/** Own resources that are made from others, so that they change with them. */
export class Dependents {
  /** By the normal form of the resource that depends: prefixes in normal form. */
  readonly #byUri = new Map<string, { readonly uri: string; readonly prefixes: readonly string[] }>()

  get size(): number {
    return this.#byUri.size
  }

  add(normal: string, uri: string, prefixes: readonly string[]): void {
    this.#byUri.set(normal, { uri, prefixes })
  }

  remove(normal: string): void {
    this.#byUri.delete(normal)
  }

  /** What a resource depends on, as single URIs that can be listened to: a prefix without its slash. */
  of(normal: string): readonly string[] {
    return this.#byUri.get(normal)?.prefixes.map((prefix) => prefix.replace(/(?<=[^:/])\/$/, '')) ?? []
  }

  /** The resources that change with a change, themselves not among them. */
  *touched(change: Change): Generator<{ readonly key: string; readonly uri: string }> {
    const where = change.kind === 'updated' ? change.uri : change.under
    const normal = where === undefined ? undefined : uriKey(where)
    for (const [key, { uri, prefixes }] of this.#byUri) {
      if (key !== normal && prefixes.some((prefix) => normal === undefined || concerns(prefix, normal, change.kind)))
        yield { key, uri }
    }
  }
}

/** A set that changed below `where` may hold what a dependency stands for, or lie within it. */
function concerns(prefix: string, where: string, kind: Change['kind']): boolean {
  return covers(prefix, where) || (kind !== 'updated' && prefix.startsWith(where))
}
