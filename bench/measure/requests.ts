import type { Era } from '../shelf.ts'
import { ID_PLACE } from './load.ts'

/** One request to be measured. */
export interface Question {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

export const LEGACY_VERSION = '2025-11-25'
export const MODERN_VERSION = '2026-07-28'

const CLIENT = { name: 'bench', version: '1.0.0' }

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': {},
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: LEGACY_VERSION, capabilities: {}, clientInfo: CLIENT },
} as const

export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' } as const

/** The message of a question, with the id that stands for all. */
export function messageOf(question: Question, era: Era): object {
  const { method, params } = question
  return { jsonrpc: '2.0', id: ID_PLACE, method, params: era === 'modern' ? { ...params, _meta: ENVELOPE } : params }
}

/** The headers that must repeat the body (basic/transports/streamable-http). */
export function headersOf(question: Question, era: Era, session: string | undefined): Record<string, string> {
  if (era === 'legacy') {
    return { 'MCP-Protocol-Version': LEGACY_VERSION, ...(session !== undefined && { 'Mcp-Session-Id': session }) }
  }
  const { uri } = question.params
  return {
    'MCP-Protocol-Version': MODERN_VERSION,
    'Mcp-Method': question.method,
    ...(typeof uri === 'string' && { 'Mcp-Name': uri }),
  }
}

/** The result in an answer: JSON, or the one event of a stream. */
export function resultOf(text: string): Record<string, unknown> {
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '')
  const answer = JSON.parse(json) as { id?: unknown; result?: Record<string, unknown> }
  if (answer.id !== ID_PLACE || answer.result === undefined)
    throw new Error(`Not an answer to the question: ${text.slice(0, 500)}`)
  return answer.result
}
