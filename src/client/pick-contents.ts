import type { ReadContents } from './contents.ts'

/**
 * The first of the contents that has one of the types, in the order of preference: `text/markdown`, `text/*`,
 * `image/*`. Parameters of a type (`;charset=utf-8`) do not count; text without a type is `text/plain`, bytes without
 * one are `application/octet-stream`. Several contents of one read are alternatives where they have one URI.
 */
export function pickContents(contents: readonly ReadContents[], preferred: readonly string[]): ReadContents | undefined {
  for (const type of preferred) {
    const wanted = essence(type)
    const found = contents.find((one) => matches(essence(typeOf(one)), wanted))
    if (found !== undefined) return found
  }
  return undefined
}

function typeOf(one: ReadContents): string {
  return one.mimeType ?? (one.text === undefined ? 'application/octet-stream' : 'text/plain')
}

function essence(type: string): string {
  return type.split(';', 1)[0]!.trim().toLowerCase()
}

function matches(type: string, wanted: string): boolean {
  if (wanted === type) return true
  return wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1))
}
