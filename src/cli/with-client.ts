import type { Client, ClientOptions } from '../client/index.ts'
import type { TargetOptions } from './open-target.ts'
import { openTarget } from './open-target.ts'
import { note } from './output.ts'
import { untilDone } from './until-done.ts'

/**
 * Does something with a server and leaves nothing behind: whatever was started for it ends with it, also when a person
 * stops it or nobody reads the output any more.
 */
export async function withClient(
  server: string,
  options: TargetOptions,
  work: (client: Client, signal: AbortSignal) => Promise<void>,
  more: ClientOptions = {},
): Promise<void> {
  const client = openTarget(server, options, more)
  const waiting = sayThatItWaits(client, server)
  await untilDone(
    (signal) => work(client, signal),
    async () => {
      clearTimeout(waiting)
      await client.close()
    },
  )
}

/** A person who waits is told for what. A server may have to be downloaded first, and a program that is none says nothing. */
const QUIET_MS = 5_000

function sayThatItWaits(client: Client, server: string): NodeJS.Timeout | undefined {
  if (!process.stderr.isTTY) return undefined
  const timer = setTimeout(() => note(`${server} has not answered yet; Ctrl+C ends this`), QUIET_MS)
  // Every command connects first; why it cannot, it says itself.
  client.server().then(
    () => clearTimeout(timer),
    () => clearTimeout(timer),
  )
  return timer
}
