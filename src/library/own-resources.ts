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

interface OwnResource {
  readonly uri: string
  readonly options: ResourceOptions
  readonly handler: ResourceHandler
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

  /** @throws ShelfError `invalid-uri`, `invalid-template` for a URI with braces, `duplicate` */
  add(uri: string, options: ResourceOptions, handler: ResourceHandler): void {
    refuseBraces(uri)
    const normal = canonicalUri(uri)
    const twin = this.#byUri.get(normal)
    if (twin !== undefined) {
      throw new ShelfError(
        'duplicate',
        `The resource ${uri} is already registered as ${placeOf(twin.uri, twin.options)}; remove it first`,
        {
          first: placeOf(twin.uri, twin.options),
          second: placeOf(uri, options),
        },
      )
    }
    const own: OwnResource = { uri: isPlain(uri) ? uri : normal, options, handler, seq: 0 }
    own.seq = this.#order.add(own)
    this.#byUri.set(normal, own)
  }

  remove(normal: string): boolean {
    const own = this.#byUri.get(normal)
    if (own === undefined) return false
    this.#byUri.delete(normal)
    this.#order.remove(own.seq)
    return true
  }

  async list(request: PageRequest, call: Call): Promise<Page<Resource>> {
    if (request.after !== undefined && typeof request.after !== 'number') {
      throw new ShelfError('invalid-cursor', 'Not a position among own resources', {})
    }
    const page = this.#order.page(request.after ?? 0, request.limit)
    const items = await Promise.all(page.items.map(async (own) => describe(own, call)))
    return page.next === undefined ? { items } : { items, next: page.next }
  }

  stat(normal: string, call: Call): Promise<Resource> | undefined {
    const own = this.#byUri.get(normal)
    return own && Promise.resolve(describe(own, call))
  }

  read(normal: string, request: ReadRequest, call: Call): Promise<ReadResult> | undefined {
    const own = this.#byUri.get(normal)
    return own && runHandler(() => own.handler(new ReadContext(request, call)), request, own.options)
  }
}

function describe(own: OwnResource, call: Call): Resource | Promise<Resource> {
  const { hint, describe: compute, ...face } = own.options
  void hint
  const resource: Resource = { uri: own.uri, name: lastSegment(own.uri), ...face }
  if (compute === undefined) return resource
  return Promise.resolve(compute(call)).then((computed) => ({ ...resource, ...computed, uri: own.uri }))
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

function placeOf(uri: string, options: ResourceOptions): string {
  return `resource ${JSON.stringify(options.name ?? options.title ?? uri)} at ${uri}`
}

/** Characters that a URI may hold as they are (RFC 3986 section 2). Others are listed as triplets. */
function isPlain(uri: string): boolean {
  return /^[!#-;=?-[\]_a-z~]*$/.test(uri)
}
