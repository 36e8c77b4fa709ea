import { foldAuthority, normalUri } from './normal-form.ts'
import {
  CLASS,
  ENCODED,
  hexValue,
  HASH,
  isLetter,
  isSchemeCharacter,
  isUnreserved,
  PERCENT,
  QUESTION,
  SLASH,
} from './uri-characters.ts'

/**
 * The URI that is being matched: its normal form and where it is cut. There is one, and its arrays are used again
 * for the next: nothing of a user may run between preparing a URI and building its values.
 */
class PreparedUri {
  /** Normal form. */
  text = ''
  /** Index of the colon behind the scheme. */
  colon = 0
  /** End of scheme, authority and path. */
  headEnd = 0
  /** Behind the `?`, or -1. */
  queryStart = -1
  queryEnd = 0
  /** Behind the `#`, or -1. */
  fragmentStart = -1
  /** False where no value needs decoding. */
  hasTriplets = false
  /** Segments of the head. */
  count = 0
  /** Where each segment begins; one more entry stands for the one after the last. */
  starts = new Int32Array(64)
  #folded: string | undefined

  prepare(uri: string): boolean {
    if (typeof uri !== 'string') return false
    if (this.#scan(uri)) return true
    const normal = normalUri(uri)
    return normal !== undefined && this.#scan(normal)
  }

  /** The normal form with its authority in lower case. */
  folded(): string {
    this.#folded ??= foldAuthority(this.text, this.colon)
    return this.#folded
  }

  segmentStart(index: number): number {
    return this.starts[index] as number
  }

  segmentEnd(index: number): number {
    return (this.starts[index + 1] as number) - 1
  }

  /** One pass over what is in normal form already; false at the first character that is not. */
  #scan(text: string): boolean {
    const { length } = text
    let code = text.charCodeAt(0)
    if (!isLetter(code) || code < 0x61) return false
    let i = 1
    for (; ; i++) {
      code = text.charCodeAt(i)
      if (code === 0x3a) break
      if (!isSchemeCharacter(code) || (code >= 0x41 && code <= 0x5a)) return false
    }
    this.text = text
    this.#folded = undefined
    this.colon = i
    this.queryStart = -1
    this.fragmentStart = -1
    this.hasTriplets = false
    let { starts } = this
    starts[0] = i + 1
    let count = 1
    let headEnd = -1
    for (i++; i < length; i++) {
      code = text.charCodeAt(i)
      const kind = code < 128 ? (CLASS[code] as number) : ENCODED
      if (kind === 0) continue
      if (kind === SLASH) {
        if (headEnd >= 0) continue
        if (count + 2 > starts.length) starts = this.#grow()
        starts[count++] = i + 1
      } else if (kind === QUESTION) {
        if (headEnd >= 0) continue
        headEnd = i
        this.queryStart = i + 1
      } else if (kind === HASH) {
        if (this.fragmentStart >= 0) continue
        this.fragmentStart = i + 1
        if (headEnd < 0) headEnd = i
        this.queryEnd = i
      } else {
        if (kind !== PERCENT || !isNormalTriplet(text, i)) return false
        this.hasTriplets = true
        i += 2
      }
    }
    if (headEnd < 0) headEnd = length
    if (this.fragmentStart < 0) this.queryEnd = length
    this.headEnd = headEnd
    starts[count] = headEnd + 1
    this.count = count
    return true
  }

  #grow(): Int32Array<ArrayBuffer> {
    const grown = new Int32Array(this.starts.length * 2)
    grown.set(this.starts)
    this.starts = grown
    return grown
  }
}

/** Upper-case hex of a byte that is neither 00 nor unreserved. */
function isNormalTriplet(text: string, at: number): boolean {
  const first = text.charCodeAt(at + 1)
  const second = text.charCodeAt(at + 2)
  if (first > 0x46 || second > 0x46) return false
  const byte = hexValue(first) * 16 + hexValue(second)
  return hexValue(first) >= 0 && hexValue(second) >= 0 && byte > 0 && !isUnreserved(byte)
}

export type { PreparedUri }

export const prepared: PreparedUri = new PreparedUri()
