/** What every server of the benchmarks serves, so that their answers say the same. */

/** 1 KiB of text. */
export const TEXT = 'The quick brown fox jumps over the lazy dog, and the dog lets it. '.repeat(16).slice(0, 1024)

export const MIME_TYPE = 'text/plain'

/** The URI of the resource registered at a place. */
export const resourceUri = (place: number): string => `bench://shelf/item-${String(place).padStart(6, '0')}`

export const resourceName = (place: number): string => `Item ${place}`

/** The template registered at a place, and a URI that it matches. */
export const templateText = (place: number): string => `bench://shelf/family-${place}/{group}/{item}`

export const templateUri = (place: number): string => `bench://shelf/family-${place}/books/42`

/** The file of W1f in its folder. */
export const FILE_NAME = 'page.txt'

export const SERVER = { name: 'bench', version: '1.0.0' } as const

/** What is registered: so many resources, so many templates, or the files of a folder. */
export interface Stock {
  readonly resources?: number
  readonly templates?: number
  readonly folder?: string
}

export type Transport = 'http' | 'stdio'

export type Era = 'modern' | 'legacy'

/** What a server program is told on its command line. */
export interface Order {
  readonly transport: Transport
  readonly era: Era
  readonly stock: Stock
  /** Limit on stdio only: one write for each chunk that was read, instead of one for each answer. */
  readonly batched?: boolean
}

export function readOrder(): Order {
  return JSON.parse(process.argv[2] ?? '{}') as Order
}

/** Tells the driver the port, on standard output. */
export function announce(port: number): void {
  process.stdout.write(`${JSON.stringify({ port })}\n`)
}
