import type { CheckOptions } from '../../src/cli/check/run-checks.ts'
import { runChecks } from '../../src/cli/check/run-checks.ts'
import type { Answer, Asked, ScriptedServer } from '../client/scripted-server.ts'
import { scripted } from '../client/scripted-server.ts'

export type Method = (asked: Asked, server: ScriptedServer) => Answer | Promise<Answer>
export type Methods = Readonly<Record<string, Method>>

/** An item of a list as it should be. */
export const A = { uri: 'note:a', name: 'a', mimeType: 'text/plain', size: 1 }
export const B = { uri: 'note:b', name: 'b' }

export const NOT_FOUND = { error: { code: -32_602, message: 'Resource not found' } }
const LEGACY_NOT_FOUND = { error: { code: -32_002, message: 'Resource not found' } }

/** What a modern result carries. */
export const HINTS = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }

const CAPABILITIES = { resources: { subscribe: true, listChanged: true }, completions: {} }

/** One text, under the URI that was asked for. */
export const text = (uri: unknown): object => ({ contents: [{ uri, mimeType: 'text/plain', text: 'x' }] })

export const MODERN: Methods = {
  'server/discover': () => ({
    ...HINTS,
    supportedVersions: ['2026-07-28'],
    capabilities: CAPABILITIES,
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'clean', version: '1' } },
  }),
  'resources/list': () => ({ ...HINTS, resources: [A, B] }),
  'resources/templates/list': () => ({ ...HINTS, resourceTemplates: [{ uriTemplate: 'greeting:{name}', name: 'greeting' }] }),
  'resources/read': ({ params: { uri } }) =>
    ['note:a', 'note:b', 'greeting:Ada'].includes(String(uri)) ? { ...HINTS, ...text(uri) } : NOT_FOUND,
  'completion/complete': () => ({ resultType: 'complete', completion: { values: ['Grace', 'Ada'] } }),
  'subscriptions/listen': ({ id, params }, server) => {
    server.notify('notifications/subscriptions/acknowledged', {
      _meta: { 'io.modelcontextprotocol/subscriptionId': id },
      notifications: params['notifications'],
    })
    return undefined
  },
}

export const LEGACY: Methods = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: CAPABILITIES,
    serverInfo: { name: 'clean', version: '1' },
  }),
  ping: () => ({}),
  'resources/list': () => ({ resources: [A, B] }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'greeting:{name}', name: 'greeting' }] }),
  'resources/read': ({ params: { uri } }) =>
    ['note:a', 'note:b', 'greeting:Ada'].includes(String(uri)) ? { ...text(uri) } : LEGACY_NOT_FOUND,
  'completion/complete': () => ({ completion: { values: ['Ada'] } }),
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
}

/** Among the methods, makes a server that looks at no version. */
export const ANY_VERSION = 'any version'

/** A server that has these methods, and no other. */
export function serverOf(methods: Methods): ScriptedServer {
  const server: ScriptedServer = scripted((asked) => {
    const meta = asked.params['_meta'] as Record<string, unknown> | undefined
    const version = meta?.['io.modelcontextprotocol/protocolVersion']
    if ('server/discover' in methods && version !== '2026-07-28' && !(ANY_VERSION in methods))
      return {
        error: {
          code: -32_022,
          message: 'Unsupported protocol version',
          data: { supported: ['2026-07-28'], requested: version },
        },
      }
    return methods[asked.method]?.(asked, server) ?? unanswered(methods, asked)
  })
  return server
}

function unanswered(methods: Methods, { method }: Asked): Answer {
  return method in methods ? undefined : { error: { code: -32_601, message: 'Method not found' } }
}

/** What is found of a server with these methods instead of those of a clean one: severity, rule, subject, message. */
export async function found(clean: Methods, methods: Methods = {}, options: CheckOptions = {}): Promise<readonly string[]> {
  return (await check(serverOf({ ...clean, ...methods }), options)).map(
    ({ severity, rule, subject, message }) => `${severity} ${rule} (${anonymous(subject)}): ${anonymous(message)}`,
  )
}

export async function check(server: ScriptedServer, options: CheckOptions = {}) {
  const { findings } = await runChecks(server.connect, options)
  return findings
}

/** URIs that are made up are new each time. */
function anonymous(words: string): string {
  return words.replaceAll(/shelfmark-check-[0-9a-f]{16}/g, 'shelfmark-check-*')
}
