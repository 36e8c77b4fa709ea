import { ShelfError } from '../../errors.ts'
import type { Notice } from '../../library/index.ts'
import type { Meta, Resource, ResourceTemplate } from '../../protocol/index.ts'
import { META_SERVER } from '../../protocol/index.ts'
import type { Client } from '../client.ts'

/** One of the servers of a Hub, and how its URIs are called outside. */
export class HubServer {
  readonly name: string
  readonly client: Client
  /** `name+`, or nothing for the only one. */
  readonly qualifier: string
  readonly #tell: (notice: Notice) => void
  /** It failed, and has not given a page of a list since. */
  #failing = false

  /** @param tell what a person on this side is told of it */
  constructor(name: string, client: Client, qualified: boolean, tell: (notice: Notice) => void) {
    this.name = name
    this.client = client
    this.qualifier = qualified ? `${name}+` : ''
    this.#tell = tell
  }

  /** It gave a page of a list. */
  works(): void {
    this.#failing = false
  }

  /**
   * It gave no page. A person is told why, once until it works again; the notice, which may cross the wire, says no more
   * than that it is left out: a program that ended said what it liked on its standard error.
   */
  leftOut(failure: ShelfError): Notice & { readonly provider: string } {
    if (!this.#failing) this.#tell({ level: 'warning', message: `Left out: ${failure.message}`, cause: failure })
    this.#failing = true
    const why = ShelfError.is(failure, 'timeout') ? `no answer within ${failure.details.afterMs} ms` : 'it failed'
    return this.notice({ level: 'warning', message: `Left out: ${why}`, cause: failure })
  }

  /** A URI or template of this server as it is called outside. */
  outer(uri: string): string {
    return this.qualifier + uri
  }

  /** What this server calls it, or undefined if it is not one of its own. */
  inner(uri: string): string | undefined {
    return uri.startsWith(this.qualifier) ? uri.slice(this.qualifier.length) : undefined
  }

  resource(resource: Resource): Resource {
    return this.qualifier === '' ? resource : { ...resource, uri: this.outer(resource.uri), _meta: this.#meta(resource._meta) }
  }

  template(template: ResourceTemplate): ResourceTemplate {
    if (this.qualifier === '') return template
    return { ...template, uriTemplate: this.outer(template.uriTemplate), _meta: this.#meta(template._meta) }
  }

  #meta(meta: Meta | undefined): Meta {
    return { ...meta, [META_SERVER]: this.name }
  }

  /** A notice under the name of this server. */
  notice({ level, message, cause }: Notice): Notice & { readonly provider: string } {
    return { level, message, provider: this.name, ...(cause !== undefined && { cause }) }
  }
}

/** A server that a URI names, and what that server calls it. */
export interface Named {
  readonly server: HubServer
  readonly inner: string
}
