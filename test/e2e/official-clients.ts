import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import type { VersionNegotiationMode } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { z } from 'zod'

/** Where a server is: arguments of node that start one on stdio, or an endpoint, with a network of its own or the real one. */
export type Target =
  | { readonly args: readonly string[] }
  | { readonly url: string; readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response> }

/** What a read tells beside the contents. */
export interface Answer {
  readonly contents: readonly Body[]
  readonly meta: { readonly [key: string]: unknown }
  /** How long it may be kept, where the revision says so. */
  readonly hint: object
}

export interface Item {
  readonly uri: string
  readonly name: string
  readonly mimeType?: string | undefined
  readonly size?: number | undefined
}

export interface Body {
  readonly uri: string
  readonly mimeType?: string | undefined
  readonly text?: string | undefined
  readonly blob?: string | undefined
}

/** What all official clients can do, in one form. */
export interface OfficialClient {
  readonly revision: string | undefined
  readonly extensions: object | undefined
  list(): Promise<readonly Item[]>
  templates(): Promise<readonly string[]>
  read(uri: string): Promise<readonly Body[]>
  /** A read with keys in its `_meta`, and all that came. */
  ask(uri: string, meta?: Record<string, unknown>): Promise<Answer>
  /** `dev.shelfmark/stat`, by a generic request. */
  stat(uri: string): Promise<object>
  directory(uri: string): Promise<readonly Item[]>
  complete(
    template: string,
    variable: string,
    value: string,
    chosen?: Record<string, string>,
  ): Promise<{ readonly values: readonly string[]; readonly total?: number | undefined; readonly hasMore?: boolean | undefined }>
  close(): Promise<void>
}

const WHO = { name: 'interop', version: '1.0.0' }

/** The newer official client. Its lists walk all pages by themselves, its directories too. */
export async function connectV2(target: Target, mode: VersionNegotiationMode, prepare?: (client: ClientV2) => void) {
  const client = new ClientV2(WHO, { versionNegotiation: { mode } })
  prepare?.(client)
  const transport =
    'url' in target
      ? new HttpV2(new URL(target.url), { ...(target.fetch && { fetch: target.fetch }) })
      : new StdioV2({ command: process.execPath, args: [...target.args], stderr: 'ignore' })
  await client.connect(transport)
  return client
}

/** The older official client: pages by hand, directories by a generic request. */
export async function connectV1(target: Target, prepare?: (client: ClientV1) => void) {
  const client = new ClientV1(WHO)
  prepare?.(client)
  const transport =
    'url' in target
      ? new HttpV1(new URL(target.url), { ...(target.fetch && { fetch: target.fetch }) })
      : new StdioV1({ command: process.execPath, args: [...target.args], stderr: 'ignore' })
  // The older package was not written for exactOptionalPropertyTypes.
  const plain: unknown = transport
  await client.connect(plain as TransportV1)
  return client
}

/** The parameters of `completion/complete`. */
function completion(template: string, name: string, value: string, chosen?: Record<string, string>) {
  return {
    ref: { type: 'ref/resource' as const, uri: template },
    argument: { name, value },
    ...(chosen && { context: { arguments: chosen } }),
  }
}

function faceOfV2(mode: VersionNegotiationMode) {
  return async (target: Target): Promise<OfficialClient> => {
    const client = await connectV2(target, mode)
    const directories = new SkillsClient(client)
    return {
      revision: client.getNegotiatedProtocolVersion(),
      extensions: client.getServerCapabilities()?.extensions,
      list: async () => (await client.listResources()).resources,
      templates: async () => (await client.listResourceTemplates()).resourceTemplates.map((item) => item.uriTemplate),
      read: async (uri) => (await client.readResource({ uri })).contents,
      ask: async (uri, _meta) => answerOf(await client.readResource({ uri, ...(_meta && { _meta }) })),
      stat: (uri) => client.request({ method: 'dev.shelfmark/stat', params: { uri } }, Anything),
      directory: async (uri) => (await directories.readDirectory(uri)).resources,
      complete: async (...asked) => (await client.complete(completion(...asked))).completion,
      close: () => client.close(),
    }
  }
}

const Anything = z.looseObject({})

function answerOf(result: {
  readonly contents: readonly Body[]
  readonly _meta?: { readonly [key: string]: unknown } | undefined
  readonly [more: string]: unknown
}): Answer {
  const { contents, _meta, ttlMs, cacheScope } = result
  return { contents, meta: _meta ?? {}, hint: ttlMs === undefined && cacheScope === undefined ? {} : { ttlMs, cacheScope } }
}

const DirectoryPage = z.object({
  resources: z.array(z.object({ uri: z.string(), name: z.string(), mimeType: z.string().optional() })),
  nextCursor: z.string().optional(),
})

async function faceOfV1(target: Target): Promise<OfficialClient> {
  const client = await connectV1(target)
  return {
    extensions: client.getServerCapabilities()?.extensions,
    // The older client keeps what it agreed on to itself; its HTTP transport knows.
    revision: client.transport instanceof HttpV1 ? client.transport.protocolVersion : '2025-11-25',
    list: () =>
      walk(async (cursor) => {
        const { resources, nextCursor } = await client.listResources({ ...cursor })
        return { items: resources, nextCursor }
      }),
    templates: async () => (await client.listResourceTemplates()).resourceTemplates.map((item) => item.uriTemplate),
    read: async (uri) => (await client.readResource({ uri })).contents,
    ask: async (uri, _meta) => answerOf(await client.readResource({ uri, ...(_meta && { _meta }) })),
    stat: (uri) => client.request({ method: 'dev.shelfmark/stat', params: { uri } }, Anything),
    directory: (uri) =>
      walk(async (cursor) => {
        const request = { method: 'resources/directory/read', params: { uri, ...cursor } }
        const { resources, nextCursor } = await client.request(request, DirectoryPage)
        return { items: resources, nextCursor }
      }),
    complete: async (...asked) => (await client.complete(completion(...asked))).completion,
    close: () => client.close(),
  }
}

/** All pages of a list. */
export async function walk<T>(
  page: (cursor: { cursor: string } | undefined) => Promise<{ items: readonly T[]; nextCursor?: string | undefined }>,
): Promise<readonly T[]> {
  const all: T[] = []
  let cursor: { cursor: string } | undefined
  do {
    const { items, nextCursor } = await page(cursor)
    all.push(...items)
    cursor = nextCursor === undefined ? undefined : { cursor: nextCursor }
  } while (cursor !== undefined)
  return all
}

/** Every official client and era, by name, with the revision it must agree on. */
export const OFFICIAL_CLIENTS: readonly (readonly [
  name: string,
  revision: string,
  connect: (target: Target) => Promise<OfficialClient>,
])[] = [
  ['client 2.4.0, pinned to 2026-07-28', '2026-07-28', faceOfV2({ pin: '2026-07-28' })],
  ['client 2.4.0, auto', '2026-07-28', faceOfV2('auto')],
  ['client 2.4.0, legacy', '2025-11-25', faceOfV2('legacy')],
  ['sdk 1.32.2', '2025-11-25', faceOfV1],
]
