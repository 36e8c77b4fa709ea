/** Values by text, asked for by every text that begins or ends a segment: one lookup per distinct length, longest first. */
export class TextsByLength<V> {
  readonly #values = new Map<string, V>()
  /** Distinct lengths, longest first. */
  readonly lengths: number[] = []

  get size(): number {
    return this.#values.size
  }

  get(text: string): V | undefined {
    return this.#values.get(text)
  }

  set(text: string, value: V): void {
    this.#values.set(text, value)
    if (this.lengths.includes(text.length)) return
    const at = this.lengths.findIndex((length) => length < text.length)
    this.lengths.splice(at < 0 ? this.lengths.length : at, 0, text.length)
  }

  delete(text: string): void {
    this.#values.delete(text)
    for (const other of this.#values.keys()) if (other.length === text.length) return
    this.lengths.splice(this.lengths.indexOf(text.length), 1)
  }
}
