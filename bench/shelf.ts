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

/** The folders of W2f: all files in one, or a hundred in each of many. */
export const FLAT = { files: 200_000, name: (place: number) => `file-${digits(place, 6)}.txt` } as const
export const TREE = {
  files: 100_000,
  each: 100,
  name: (place: number) => `folder-${digits(Math.floor(place / 100), 4)}/file-${digits(place % 100, 2)}.txt`,
} as const

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0')
}

/** What is registered: so many resources, so many templates, or the files of a folder. */
export interface Stock {
  readonly resources?: number
  readonly templates?: number
  readonly folder?: string
  /** Items on every page of a list; pages grow without it. */
  readonly page?: number
  /** Ours only: with the policies that `shelfmark serve` uses by itself. */
  readonly bounded?: boolean
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
