import { onTestFinished } from 'vitest'
import type { Client, ClientOptions, Connect } from '../../src/client/index.ts'
import { openClient } from '../../src/client/index.ts'
import { ShelfError } from '../../src/errors.ts'
import type { FakeClock } from '../../src/testing/index.ts'

export interface OpenedClient {
  readonly client: Client
  /** Messages of its notices, as they came. */
  readonly notices: string[]
}

/** A client that goes with the test. */
export function opened(server: { readonly connect: Connect }, options: ClientOptions = {}): OpenedClient {
  const notices: string[] = []
  const client = openClient(server.connect, { onNotice: ({ message }) => void notices.push(message), ...options })
  onTestFinished(() => client.close())
  return { client, notices }
}

/** Everything that can happen without time has happened, digests too. */
export async function turns(count = 4): Promise<void> {
  for (let i = 0; i < count; i++) {
    await crypto.subtle.digest('SHA-256', new Uint8Array(1_000))
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Lets time pass in steps, so that what each step causes can happen. */
export async function pass(clock: FakeClock, ms: number, step = Math.max(1, Math.min(100, ms / 10))): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    clock.advance(Math.min(step, left))
    await turns(3)
  }
}

/** How work failed, in short; fails when it did not. */
export async function failure(work: Promise<unknown>): Promise<string> {
  const outcome = await work.then(
    () => 'no failure',
    (error: unknown) => (error instanceof ShelfError ? `${error.code}: ${error.message}` : String(error)),
  )
  return outcome
}

/** Everything of an iterable. */
export async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const got: T[] = []
  for await (const item of items) got.push(item)
  return got
}
