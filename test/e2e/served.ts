import { afterAll, beforeAll } from 'vitest'
import { endpoint, Program } from './command-line.ts'
import type { Target } from './official-clients.ts'

/** A server for the tests of one file. */
export interface Served {
  /** The endpoint; there once the tests run. */
  readonly url: string
  /** The same server on both transports: a new process for each client, or the one that listens. */
  readonly transports: readonly (readonly [name: string, target: () => Target])[]
}

/** Starts node with these arguments before the tests of this file, where it serves over HTTP with `more`, and ends it after them. */
export function served(args: readonly string[], more: readonly string[]): Served {
  let server: Program
  let url: string
  beforeAll(async () => {
    server = new Program([...args, ...more])
    url = await endpoint(server)
  })
  afterAll(() => server.stop())
  return {
    get url() {
      return url
    },
    transports: [
      ['stdio', () => ({ args })],
      ['HTTP', () => ({ url })],
    ],
  }
}
