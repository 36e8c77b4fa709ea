import { beginsWith } from './begins-with.ts'

/** Images that models take, by how their bytes begin: a type that a server says is not believed. */
const FORMATS: readonly (readonly [mimeType: string, at: number, latin1: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
]

/** The type of an image that models take; undefined for all else. */
export function imageType(bytes: Uint8Array): string | undefined {
  return FORMATS.find(([, at, latin1]) => beginsWith(bytes, at, latin1))?.[0]
}
