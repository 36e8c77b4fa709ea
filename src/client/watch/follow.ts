import { ShelfError } from '../../errors.ts'
import type { Topic } from './topics.ts'

/** One way of following topics over one connection. */
export interface Follower {
  /** Takes on topics; gives those that it cannot follow. Rejects when the connection fails. */
  follow(topics: readonly Topic[]): Promise<readonly Topic[]>
  /** Whether the server tells of it now. */
  follows(topic: Topic): boolean
  /** Lets go of a topic that nobody wants any more, also of one that is being taken on. */
  unfollow(topic: Topic): void
  /** Lets go of all. */
  close(): void
}

/** The results of all, once all have settled; rejects with the first failure. */
export async function allSettled<T>(works: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(works)
  return Promise.all(works)
}

/** Whether a failure says that the server did not answer, not what it answered. */
export function isOfConnection(error: unknown): boolean {
  return ShelfError.is(error, 'unavailable') || ShelfError.is(error, 'timeout') || ShelfError.is(error, 'cancelled')
}
