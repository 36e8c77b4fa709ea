import type { ByteRange } from '../library/index.ts'
import { UsageError } from './output.ts'

/** `first-last` as HTTP counts bytes, both inclusive; `first-` is to the end. */
export function parseRange(text: string): ByteRange {
  const match = /^(\d+)-(\d*)$/.exec(text)
  const offset = Number(match?.[1])
  const last = match?.[2] === '' ? undefined : Number(match?.[2])
  const wrong =
    match === null || !Number.isSafeInteger(offset) || (last !== undefined && !(Number.isSafeInteger(last) && last >= offset))
  if (wrong) throw new UsageError(`--range takes bytes, for example 0-1023 or 1024-, got ${JSON.stringify(text)}`)
  return last === undefined ? { offset } : { offset, length: last - offset + 1 }
}
