import { orderByKeys } from './order-by-keys.ts'

/** What a name stands for; everything else (FIFO, socket, device) is not kept. */
export type EntryKind = 'file' | 'directory' | 'link'

export interface NameEntry {
  readonly name: string
  readonly kind: EntryKind
}

/** The kind stands behind a name as one byte, lower than any that a name may hold: a name comes before its extensions. */
const KINDS: readonly EntryKind[] = ['directory', 'file', 'link']
const LAST_KIND = KINDS.length - 1

/** An address is a chunk's number in the upper twelve bits and a place in it in the lower twenty. */
const PLACE_BITS = 20
const LARGEST_CHUNK = 1 << PLACE_BITS
const FIRST_CHUNK = 4 * 1024
/** The most bytes of names in one directory, about eight million names. */
const MOST = 128 * LARGEST_CHUNK

/**
 * UTF-8 sorts as UTF-16 does but for what is beyond the first plane: there the surrogates of UTF-16 come before
 * U+E000 and all after it, so lead bytes F0 to F4 come before EE and EF.
 */
const WEIGHTS = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0xf0 ? byte - 2 : byte >= 0xee ? byte + 8 : byte))

/**
 * Names as UTF-8 bytes one behind the other, and where each begins: 17 bytes for a name of 12 characters, where a string of
 * its own takes about 60. First all are added, then sorted once, by their UTF-16 code units, then looked up.
 */
export class PackedNames {
  #chunks: Buffer[] = []
  #used = 0
  #addresses: Uint32Array = new Uint32Array(64)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Bytes that they take. */
  get bytes(): number {
    return this.#addresses.byteLength + this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  }

  /** Takes the UTF-8 bytes of a name, a character each; without control characters. False if there is no room for more. */
  add(bytes: string, kind: EntryKind): boolean {
    const { length } = bytes
    let chunk = this.#chunks.at(-1)
    if (chunk === undefined || this.#used + length >= chunk.length) {
      chunk = this.#addChunk(length + 1)
      if (chunk === undefined) return false
    }
    if (this.#length === this.#addresses.length) {
      const more = new Uint32Array(2 * this.#length)
      more.set(this.#addresses)
      this.#addresses = more
    }
    let at = this.#used
    this.#addresses[this.#length++] = (this.#chunks.length - 1) * LARGEST_CHUNK + at
    for (let i = 0; i < length; i++) chunk[at++] = bytes.charCodeAt(i)
    chunk[at++] = KINDS.indexOf(kind)
    this.#used = at
    return true
  }

  /** Puts them in order, each once: a file system may give one twice that is replaced while it is read. */
  async order(): Promise<void> {
    this.#trim()
    const addresses = this.#addresses
    if (!(await orderByKeys(addresses, (address, place) => this.#keyAt(address, place)))) return
    this.#addresses = addresses.filter((_, i) => this.at(i)?.name !== this.at(i - 1)?.name)
    this.#length = this.#addresses.length
  }

  at(index: number): NameEntry | undefined {
    const address = index < this.#length ? this.#addresses[index] : undefined
    if (address === undefined) return undefined
    const chunk = this.#chunkOf(address)
    const start = address % LARGEST_CHUNK
    let end = start
    while ((chunk[end] as number) > LAST_KIND) end++
    return { name: chunk.toString('utf8', start, end), kind: KINDS[chunk[end] as number] as EntryKind }
  }

  /** The first index whose name is not before `name`. */
  find(name: string): number {
    let low = 0
    let high = this.#length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.at(middle) as NameEntry).name < name) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Chunks grow, so that few names take little and many are not copied. */
  #addChunk(least: number): Buffer | undefined {
    const count = this.#chunks.length
    if (count * LARGEST_CHUNK >= MOST) return undefined
    const size = Math.min(LARGEST_CHUNK, Math.max(least, FIRST_CHUNK * 4 ** count))
    const chunk = Buffer.allocUnsafeSlow(size)
    this.#chunks.push(chunk)
    this.#used = 0
    return chunk
  }

  /** Lets go of room that was not needed. */
  #trim(): void {
    this.#addresses = this.#addresses.slice(0, this.#length)
    const last = this.#chunks.pop()
    if (last === undefined) return
    const exact = Buffer.allocUnsafeSlow(this.#used)
    last.copy(exact, 0, 0, this.#used)
    this.#chunks.push(exact)
  }

  #chunkOf(address: number): Buffer {
    return this.#chunks[address >>> PLACE_BITS] as Buffer
  }

  #keyAt(address: number, place: number): number {
    const chunk = this.#chunkOf(address)
    const start = (address % LARGEST_CHUNK) + place
    let key = 0
    for (let i = 0; i < 4; i++) {
      const byte = chunk[start + i] as number
      if (byte <= LAST_KIND) return (key << (32 - 8 * i)) >>> 0
      key = (key << 8) | (WEIGHTS[byte] as number)
    }
    return key >>> 0
  }
}
