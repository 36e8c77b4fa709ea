import { ShelfError } from '../errors.ts'

/** The outcome of work, or a `timeout` after `ms`; the work is not stopped by it. */
export function within<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new ShelfError('timeout', `No answer within ${ms} ms`, { afterMs: ms }))
    }, ms)
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error instanceof Error ? error : ShelfError.from(error))
      },
    )
  })
}
