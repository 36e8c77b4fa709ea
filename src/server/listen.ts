import type { Outcome } from '../library/index.ts'
import { ACKNOWLEDGED, META_SUBSCRIPTION } from '../protocol/index.ts'
import type { Connection } from './connection.ts'
import { notificationFrame } from './encode.ts'
import type { OpenExchange } from './open-exchange.ts'
import { requiredObject } from './params.ts'

/**
 * `subscriptions/listen` (basic/patterns/subscriptions): says first what it honours, then what changes, and
 * ends with a result when the server goes. Cancelling it, or closing the stream, frees everything at once.
 */
export async function listen(connection: Connection, exchange: OpenExchange): Promise<Outcome> {
  const { core } = connection
  const wanted = requiredObject(exchange.params, 'notifications')
  const listener = core.listeners.open(exchange, exchange.id)
  try {
    const honoured: Record<string, unknown> = {}
    for (const filter of core.filters) {
      const value = wanted[filter.key]
      if (value === undefined) continue
      const taken = await filter.accept(value, exchange, listener)
      if (taken !== undefined) honoured[filter.key] = taken
    }
    const _meta = { [META_SUBSCRIPTION]: exchange.id }
    if (!exchange.cancelled) {
      await exchange.sink.notify(notificationFrame(ACKNOWLEDGED.method, { _meta, notifications: honoured }))
      listener.attach(exchange.sink)
      await connection.untilListeningEnds(exchange.signal)
    }
    return { kind: 'result', value: { _meta } }
  } finally {
    listener.close()
  }
}
