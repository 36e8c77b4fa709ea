import { ShelfError } from '../errors.ts'
import type { Resource } from '../protocol/index.ts'
import { canonicalUri } from '../uri/index.ts'
import type { Call } from './call.ts'
import { runHandler } from './handler-result.ts'
import type { ResourceHandler, ResourceOptions } from './options.ts'
import type { Page, PageRequest, ReadRequest, ReadResult } from './provider.ts'
import { ReadContext } from './read-context.ts'
import { Register } from './register.ts'
import { lastSegment } from './resource-face.ts'

/** As small as it can be: there may be a million of them. */
interface OwnResource {
  /** As it is listed, but for what must be computed. */
  readonly resource: Resource
  readonly handler: ResourceHandler
  /** What few resources have. */
  readonly special: Pick<ResourceOptions, 'hint' | 'describe'> | undefined
  seq: number
}

/** Resources registered one by one, found by the normal form of their URI. */
export class OwnResources {
  readonly #byUri = new Map<string, OwnResource>()
  readonly #order = new Register<OwnResource>()

  get size(): number {
    return this.#byUri.size
  }

  has(normal: string): boolean {
    return this.#byUri.has(normal)
  }

  /**
   * Adds one, and returns the normal form of its URI.
   *
   * @throws ShelfError `invalid-uri`, `invalid-template` for a URI with braces, `duplicate`
   */
  add(uri: string, options: ResourceOptions, handler: ResourceHandler): string {
    refuseBraces(uri)
    const normal = canonicalUri(uri)
    const twin = this.#byUri.get(normal)
    if (twin !== undefined) {
      throw new ShelfError(
        'duplicate',
        `The resource ${uri} is already registered as ${placeOf(twin.resource.uri, twin.resource)}; remove it first`,
        {
          first: placeOf(twin.resource.uri, twin.resource),
          second: placeOf(uri, options),
        },
      )
    }
    const { hint, describe: compute, dependsOn: _kept, ...face } = options
    // One string for the key and the list where they are equal, as they mostly are.
    const listed = uri === normal || !isPlain(uri) ? normal : uri
    const resource: Resource = { uri: listed, name: face.name ?? lastSegment(listed), ...face }
    const special = hint === undefined && compute === undefined ? undefined : options
    const own: OwnResource = { resource, handler, special, seq: 0 }
    this.#order.add(own)
    this.#byUri.set(normal, own)
    return normal
  }

  remove(normal: string): boolean {
    const own = this.#byUri.get(normal)
    if (own === undefined) return false
    this.#byUri.delete(normal)
    this.#order.remove(own)
    return true
  }

  async list(request: PageRequest, call: Call): Promise<Page<Resource>> {
    const page = this.#order.page(request)
    const items = page.items.some((own) => own.special?.describe)
      ? await Promise.all(page.items.map(async (own) => describe(own, call)))
      : page.items.map((own) => own.resource)
    return { ...page, items }
  }

  stat(normal: string, call: Call): Promise<Resource> | undefined {
    const own = this.#byUri.get(normal)
    return own && Promise.resolve(describe(own, call))
  }

  read(normal: string, request: ReadRequest, call: Call): Promise<ReadResult> | undefined {
    const own = this.#byUri.get(normal)
    if (own === undefined) return undefined
    return runHandler(() => own.handler(new ReadContext(request, call)), request, own.resource.mimeType, own.special?.hint)
  }
}

function describe(own: OwnResource, call: Call): Resource | Promise<Resource> {
  const { resource, special } = own
  if (special?.describe === undefined) return resource
  return Promise.resolve(special.describe(call)).then((computed) => ({ ...resource, ...computed, uri: resource.uri }))
}

function refuseBraces(uri: string): void {
  const offset = uri.search(/[{}]/)
  if (offset < 0) return
  throw new ShelfError(
    'invalid-template',
    `${uri} has a brace at ${offset}: register a family of resources with .template(...), or write %7B and %7D`,
    {
      template: uri,
      reason: 'stray-brace',
      offset,
    },
  )
}

function placeOf(uri: string, { name, title }: Partial<Resource>): string {
  const given = name === lastSegment(uri) ? undefined : name
  return `resource ${JSON.stringify(given ?? title ?? uri)} at ${uri}`
}

/** Characters that a URI may hold as they are (RFC 3986 section 2). Others are listed as triplets. */
function isPlain(uri: string): boolean {
  return /^[!#-;=?-[\]_a-z~]*$/.test(uri)
}
