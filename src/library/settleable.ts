/** A promise, and what settles it. `Promise.withResolvers` is not there before Node 22. */
export interface Settleable<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
}

export function settleable<T>(): Settleable<T> {
  const ends: { resolve?: (value: T) => void; reject?: (error: Error) => void } = {}
  const promise = new Promise<T>((resolve, reject) => Object.assign(ends, { resolve, reject }))
  return { promise, resolve: (value) => ends.resolve?.(value), reject: (error) => ends.reject?.(error) }
}
