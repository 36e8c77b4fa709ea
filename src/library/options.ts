import type { CacheHint, Clock, Implementation, Resource, ResourceTemplate } from '../protocol/index.ts'
import type { TemplateValues } from '../uri/index.ts'
import type { Call } from './call.ts'
import type { HandlerResult } from './handler-result.ts'
import type { Completion } from './provider.ts'
import type { ReadContext } from './read-context.ts'

export interface LibraryOptions extends Partial<Omit<Implementation, 'name'>> {
  /** The name of the server to its clients, and of the Library as a Provider: `[a-z][a-z0-9.-]*`. */
  readonly name: string
  /** For models: how to use what is here (server/discover). */
  readonly instructions?: string
  /** Rejects a list when one provider fails, instead of giving the rest with a notice. Default false. */
  readonly strict?: boolean
  /**
   * How long one provider or enumeration may take for a page of a list before the rest is given without it, in
   * milliseconds; also how long known values are enumerated for completion. Default 10,000.
   */
  readonly listBudgetMs?: number
  /**
   * How long changes are gathered before listeners are told, in milliseconds: many in a row become one. While more of
   * their kind keep coming they are told after ten times that. Default 100; 0 gathers what happens in one turn.
   */
  readonly changeWindowMs?: number
  /** Default: the clock of this machine. */
  readonly clock?: Clock
  /** How lists of own resources may be cached. Default: `ttlMs` 0, private. */
  readonly listHint?: CacheHint
}

export interface MountOptions {
  /** Qualifies every URI of the mount: `team` turns `file:///a` into `team+file:///a`. */
  readonly at?: string
}

export interface ResourceOptions extends Partial<Omit<Resource, 'uri'>> {
  /** How long a read may be cached. Default: `ttlMs` 0, private. */
  readonly hint?: CacheHint
  /** Metadata that must be computed (size, lastModified, ...); its fields go over the fixed ones. */
  readonly describe?: (call: Call) => Partial<Resource> | Promise<Partial<Resource>>
  /**
   * What this one is made from, as URIs or prefixes of URIs (see `Provider.prefixes`): whoever listens to it is told
   * when one of those changes, comes or goes, as far as their providers tell of it.
   */
  readonly dependsOn?: readonly string[]
}

/** Answers a read: text, bytes, a JSON value, `Contents[]` or a ReadResult; undefined for "not found". */
export type ResourceHandler = (context: ReadContext) => HandlerResult

/** Answers a read with the variables of the template, decoded. */
export type TemplateHandler<T extends string> = (values: TemplateValues<T>, context: ReadContext) => HandlerResult

export interface TemplateOptions<T extends string = string> extends Partial<Omit<ResourceTemplate, 'uriTemplate'>> {
  readonly hint?: CacheHint
  /** Known values, so that the resources appear in the list. Without it only the template is listed. */
  readonly list?: (call: Call) => Enumeration<T> | Promise<Enumeration<T>>
  /** Values for a variable: fixed ones, or a function of what is typed so far. */
  readonly complete?: { readonly [V in keyof TemplateValues<T> & string]?: Completer }
  /** `ignore` matches URIs with query parameters that the template does not name. Default `refuse`. */
  readonly unknownParameters?: 'refuse' | 'ignore'
  /**
   * Variables whose values are not screened for `..` pieces, backslashes, controls and a leading `/`;
   * `true` for all of them. Only for handlers that never build a path.
   */
  readonly unscreened?: readonly string[] | true
}

/** Known values of a template, each alone or with metadata that goes over the template's. */
export type Enumeration<T extends string = string> = Iterable<EnumerationItem<T>> | AsyncIterable<EnumerationItem<T>>

export type EnumerationItem<T extends string = string> =
  | TemplateValues<T>
  | ({ readonly values: TemplateValues<T> } & Partial<Omit<Resource, 'uri'>>)

/**
 * Fixed values, or a function. Values are narrowed to those that begin with the prefix, whatever the case,
 * unless the function returns a Completion, which is used as it is.
 */
export type Completer =
  | readonly string[]
  | ((prefix: string, context: CompleterContext) => CompleterResult | Promise<CompleterResult>)

export type CompleterResult = readonly string[] | Completion

export interface CompleterContext {
  /** Values already chosen for other variables. */
  readonly arguments: { readonly [name: string]: string }
  readonly call: Call
}
