import type { Answer, Asked, ScriptedServer } from './scripted-server.ts'
import { legacyServer, MODERN_FACTS, modernServer } from './scripted-server.ts'

/** A scripted server that tells of changes, and what it was asked to tell of. */
export interface ListeningServer extends ScriptedServer {
  /** URIs that it tells of now, `*` for the set; once for each time it was asked. */
  readonly listening: readonly string[]
  /** Tells of a change, to whoever listens. */
  update(uri: string): void
  changeSet(): void
  /** Ends all streams well; modern only. */
  endStreams(): void
}

export type More = (asked: Asked) => Answer | 'default' | Promise<Answer | 'default'>

/** What it lists and reads where a test says nothing. */
const DEFAULTS: Record<string, Answer> = {
  'resources/list': { resources: [] },
  'resources/read': { contents: [{ uri: 'x:1', text: '' }] },
}

/** A modern server with streams; `more` answers before it does, `honour` says what it agrees to. */
export function listeningServer(
  more: More = () => 'default',
  honour: (uri: string) => boolean = () => true,
  facts: object = MODERN_FACTS,
): ListeningServer {
  const streams = new Map<number, readonly string[]>()
  const server = modernServer(async (asked) => {
    const own = await more(asked)
    if (own !== 'default') return own
    if (asked.method !== 'subscriptions/listen') return DEFAULTS[asked.method]
    const wanted = asked.params['notifications'] as { resourceSubscriptions?: string[]; resourcesListChanged?: boolean }
    const uris = (wanted.resourceSubscriptions ?? []).filter(honour)
    const set = wanted.resourcesListChanged === true && honour('*')
    streams.set(asked.id, [...uris, ...(set ? ['*'] : [])])
    server.notify('notifications/subscriptions/acknowledged', {
      _meta: { 'io.modelcontextprotocol/subscriptionId': asked.id },
      notifications: { ...(uris.length > 0 && { resourceSubscriptions: uris }), ...(set && { resourcesListChanged: true }) },
    })
    return undefined
  }, facts)
  const forget = (): void => {
    const cancelled = server.told.filter(({ method }) => method === 'notifications/cancelled')
    for (const { params } of cancelled) streams.delete(params['requestId'] as number)
  }
  const tell = (method: string, what: string, params: object): void => {
    forget()
    for (const [id, uris] of streams) {
      if (uris.includes(what)) server.notify(method, { ...params, _meta: { 'io.modelcontextprotocol/subscriptionId': id } })
    }
  }
  return Object.defineProperties({} as ListeningServer, {
    ...Object.getOwnPropertyDescriptors(server),
    listening: {
      get: () => {
        forget()
        return [...streams.values()].flat()
      },
    },
    update: { value: (uri: string) => tell('notifications/resources/updated', uri, { uri }) },
    changeSet: { value: () => tell('notifications/resources/list_changed', '*', {}) },
    endStreams: {
      value: () => {
        forget()
        const ids = [...streams.keys()]
        streams.clear()
        for (const id of ids) server.send({ jsonrpc: '2.0', id, result: { resultType: 'complete' } })
      },
    },
    die: {
      value: () => {
        streams.clear()
        server.die()
      },
    },
  })
}

/** A legacy server with subscriptions. */
export function subscribingServer(
  more: More = () => 'default',
  honour: (uri: string) => boolean = () => true,
  capabilities: object = { resources: { subscribe: true, listChanged: true } },
): ListeningServer {
  const subscribed: string[] = []
  const server = legacyServer(async (asked) => {
    const own = await more(asked)
    if (own !== 'default') return own
    const uri = String(asked.params['uri'])
    if (asked.method === 'resources/subscribe') {
      if (!honour(uri)) return { error: { code: -32_602, message: 'no' } }
      subscribed.push(uri)
      return {}
    }
    if (asked.method === 'resources/unsubscribe') {
      subscribed.splice(subscribed.indexOf(uri), 1)
      return {}
    }
    return DEFAULTS[asked.method]
  }, capabilities)
  return Object.defineProperties({} as ListeningServer, {
    ...Object.getOwnPropertyDescriptors(server),
    listening: { get: () => [...subscribed] },
    update: {
      value: (uri: string) => {
        if (subscribed.includes(uri)) server.notify('notifications/resources/updated', { uri })
      },
    },
    changeSet: { value: () => server.notify('notifications/resources/list_changed') },
    endStreams: { value: () => undefined },
    die: {
      value: () => {
        subscribed.length = 0
        server.die()
      },
    },
  })
}
