/** Some of the ASCII characters. */
export class CharacterSet {
  readonly #has = new Uint8Array(128)

  /** @param characters each that belongs to it, and ranges as `a-z`; a hyphen that is one stands first or last */
  constructor(characters: string) {
    for (let i = 0; i < characters.length; i++) {
      const first = characters.charCodeAt(i)
      const isRange = characters[i + 1] === '-' && i + 2 < characters.length
      const last = isRange ? characters.charCodeAt(i + 2) : first
      this.#has.fill(1, first, last + 1)
      if (isRange) i += 2
    }
  }

  has(code: number): boolean {
    return this.#has[code] === 1
  }

  /** Where the run of these characters ends that begins here; here, if there is none. */
  endOfRun(text: string, from: number): number {
    let end = from
    while (end < text.length && this.#has[text.charCodeAt(end)] === 1) end++
    return end
  }
}
