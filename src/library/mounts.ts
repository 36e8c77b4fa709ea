import { ShelfError } from '../errors.ts'
import type { Resource, ResourceTemplate } from '../protocol/index.ts'
import { normalUri } from '../uri/index.ts'
import type { Change, Contents, Provider, ReadResult } from './provider.ts'
import { amended } from './resource-face.ts'

/** A Provider in its place in a Library. */
export interface Mount {
  readonly provider: Provider
  /** `team+` for a mount at `team`; empty for one that keeps its URIs. */
  readonly qualifier: string
  /** The provider's prefixes as seen from outside, or `any`. */
  readonly prefixes: readonly string[] | 'any'
}

const NAME = /^[a-z][a-z0-9.-]*$/

/** True for a name that a provider or mount may have. */
export function isName(text: unknown): text is string {
  return typeof text === 'string' && NAME.test(text)
}

/** @throws ShelfError `invalid-option` for what is no name; `what` begins its message */
export function requireName(text: unknown, what: string, option: string): asserts text is string {
  if (isName(text)) return
  throw new ShelfError('invalid-option', `${what} must match [a-z][a-z0-9.-]*, got ${JSON.stringify(text)}`, { option })
}

/** A provider seen under `at`: `team` turns `file:///a` into `team+file:///a`. Reversible, and it nests. */
export function mountOf(provider: Provider, at: string | undefined): Mount {
  requireName(provider.name, "A provider's name", 'name')
  const own =
    provider.prefixes === 'any'
      ? 'any'
      : provider.prefixes.map((prefix) => normalPrefix(`The provider ${provider.name} claims`, prefix, 'prefixes'))
  if (at === undefined) return { provider, qualifier: '', prefixes: own }
  requireName(at, 'mount: "at"', 'at')
  const qualifier = `${at}+`
  const prefixes = own === 'any' ? [qualifier] : own.map((prefix) => qualifier + prefix)
  return { provider, qualifier, prefixes }
}

/**
 * A prefix as the normal form of URIs has it; they are what it is compared with.
 *
 * @param whose begins the message: `The provider p claims`
 * @throws ShelfError `invalid-option` for text with which no URI begins
 */
export function normalPrefix(whose: string, prefix: string, option: string): string {
  const normal = /^[a-z][a-z0-9+.-]*\+$/i.test(prefix) ? prefix.toLowerCase() : normalUri(prefix)
  if (normal !== undefined) return normal
  throw new ShelfError(
    'invalid-option',
    `${whose} ${JSON.stringify(prefix)}, with which no URI begins: a prefix has a scheme and no braces`,
    { option },
  )
}

/** True when a URI in normal form lies in the space that a prefix claims. */
export function covers(prefix: string, uri: string): boolean {
  if (!uri.startsWith(prefix)) return false
  if (uri.length === prefix.length) return true
  return isOpen(prefix) || isBoundary(uri.charCodeAt(prefix.length))
}

/** A prefix that ends in `/`, `:` or `+` covers all that begins with it. */
function isOpen(prefix: string): boolean {
  const last = prefix.charCodeAt(prefix.length - 1)
  return last === 0x2f || last === 0x3a || last === 0x2b
}

function isBoundary(code: number): boolean {
  return code === 0x2f || code === 0x3f || code === 0x23
}

/** Mounts by longest prefix first; those that take any URI last, in order of mounting. */
export class MountTable {
  #mounts: Mount[] = []
  #routes: { readonly prefix: string; readonly mount: Mount }[] = []

  get all(): readonly Mount[] {
    return this.#mounts
  }

  add(mount: Mount): void {
    const twin = this.#mounts.find((other) => other.provider.name === mount.provider.name)
    if (twin !== undefined) throw duplicate(`name ${mount.provider.name}`, twin, mount)
    if (mount.prefixes !== 'any') {
      for (const prefix of mount.prefixes) {
        const other = this.#routes.find((route) => route.prefix === prefix)
        if (other !== undefined) throw duplicate(`prefix ${prefix}`, other.mount, mount)
      }
    }
    this.#mounts.push(mount)
    this.#index()
  }

  remove(name: string): Mount | undefined {
    const index = this.#mounts.findIndex((mount) => mount.provider.name === name)
    if (index < 0) return undefined
    const [mount] = this.#mounts.splice(index, 1)
    this.#index()
    return mount
  }

  /** The mount that owns a URI in normal form by prefix. */
  owner(uri: string): Mount | undefined {
    for (const route of this.#routes) if (covers(route.prefix, uri)) return route.mount
    return undefined
  }

  /** The mounts that take any URI. */
  get catchAll(): readonly Mount[] {
    return this.#mounts.filter((mount) => mount.prefixes === 'any')
  }

  #index(): void {
    this.#routes = this.#mounts
      .flatMap((mount) => (mount.prefixes === 'any' ? [] : mount.prefixes.map((prefix) => ({ prefix, mount }))))
      .toSorted((a, b) => b.prefix.length - a.prefix.length)
  }
}

function duplicate(what: string, first: Mount, second: Mount): ShelfError {
  return new ShelfError(
    'duplicate',
    `The ${what} is already mounted; give one of the two another name or mount it "at" another place`,
    {
      first: placeOf(first),
      second: placeOf(second),
    },
  )
}

function placeOf(mount: Mount): string {
  return mount.qualifier === ''
    ? `mount ${mount.provider.name}`
    : `mount ${mount.provider.name} at ${mount.qualifier.slice(0, -1)}`
}

/** The URI as the mounted provider knows it: the text after the qualifier, byte for byte. */
export function innerUri(mount: Mount, uri: string): string {
  return uri.slice(mount.qualifier.length)
}

export function outerResource(mount: Mount, item: Resource): Resource {
  return mount.qualifier === '' ? item : { ...item, uri: mount.qualifier + item.uri }
}

export function outerTemplate(mount: Mount, item: ResourceTemplate): ResourceTemplate {
  return mount.qualifier === '' ? item : { ...item, uriTemplate: mount.qualifier + item.uriTemplate }
}

export function outerChange(mount: Mount, change: Change): Change {
  if (mount.qualifier === '') return change
  if (change.kind === 'updated') return { ...change, uri: mount.qualifier + change.uri }
  return change.under === undefined ? change : { ...change, under: mount.qualifier + change.under }
}

export function outerRead(mount: Mount, result: ReadResult): ReadResult {
  if (mount.qualifier === '' || result.kind !== 'contents') return result
  return amended(result, {
    contents: result.contents.map((one): Contents => ({ ...one, uri: mount.qualifier + one.uri })),
  })
}
