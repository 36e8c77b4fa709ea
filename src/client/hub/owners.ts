import { notFound, ShelfError } from '../../errors.ts'
import { within } from '../../library/index.ts'
import type { HubServer } from './server.ts'

/**
 * The one server that has a URI which does not say whose it is. Every server is asked.
 *
 * @throws ShelfError `ambiguous` naming each way to write it, when several have it; `not-found`; what kept a server
 *   from answering, when none has it
 */
export async function onlyOwner(
  servers: readonly HubServer[],
  uri: string,
  budgetMs: number,
  signal: AbortSignal,
): Promise<HubServer> {
  const asked = await Promise.allSettled(servers.map(({ client }) => within(client.stat(uri, { signal }), budgetMs)))
  const owners = servers.filter((_server, index) => asked[index]?.status === 'fulfilled')
  const [owner, another] = owners
  if (owner !== undefined && another === undefined) return owner
  if (owner === undefined) {
    const failures = asked.flatMap((one) => (one.status === 'rejected' ? [ShelfError.from(one.reason)] : []))
    throw failures.find(({ code }) => code !== 'not-found') ?? notFound(uri)
  }
  const names = owners.map((server) => server.outer(uri))
  throw new ShelfError('ambiguous', `${owners.length} servers have ${uri}; say which: ${names.join(', ')}`, {
    uri,
    owners: names,
  })
}
