import type { JsonValue, Resource } from '../../protocol/index.ts'

/** A resource held in memory: what is listed of it, and its body. */
export type MemoryItem = Omit<Resource, 'name' | 'size'> & {
  /** Default: the last segment of the URI. */
  readonly name?: string
} & MemoryBody

/** Text, bytes, or a value that is served as JSON text. Bytes are not copied: whoever gives them leaves them alone. */
export type MemoryBody = { readonly text: string } | { readonly bytes: Uint8Array } | { readonly json: JsonValue }

export interface MemoryOptions {
  /** The Provider's name, `[a-z][a-z0-9.-]*`. Default: `memory`. */
  readonly name?: string
  /** Its URI space, as for any Provider. Default: `any`, which is asked after all others. */
  readonly prefixes?: readonly string[] | 'any'
  /** What it holds from the start. */
  readonly resources?: readonly MemoryItem[]
}
