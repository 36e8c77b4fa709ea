import { ShelfError } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'

/** Fails with `wanted`, and what came instead if given. */
export function check(held: boolean, wanted: string, came?: unknown): asserts held {
  if (!held) throw new Error(came === undefined ? `Wanted ${wanted}` : `Wanted ${wanted}, got ${show(came)}`)
}

/** Fails unless both are the same JSON. */
export function checkEqual(came: unknown, expected: unknown, what: string): void {
  check(show(came) === show(expected), `${what} to be ${show(expected)}`, came)
}

/** Fails unless `work` rejects with one of `codes`. */
export async function checkRejects(work: Promise<unknown>, codes: readonly ErrorCode[], what: string): Promise<void> {
  let came: unknown
  try {
    came = await work
  } catch (error) {
    const { code } = ShelfError.from(error)
    check(codes.includes(code), `${what} to reject with ${codes.join(' or ')}`, `${code}: ${String(error)}`)
    return
  }
  throw new Error(`Wanted ${what} to reject with ${codes.join(' or ')}, got ${show(came)}`)
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 400 ? `${text.slice(0, 400)}...` : text
}
