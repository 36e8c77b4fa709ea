import type { Answers, Call, InputRequired, Position } from '../../library/index.ts'
import { cut } from '../text/index.ts'
import type { ObjectSchema } from './json-schema.ts'

/** What a model is told of a tool (server/tools, Tool). */
export interface ToolDefinition {
  /** 1 to 64 of `A-Z a-z 0-9 _ -`, which every model takes. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly annotations: { readonly readOnlyHint: true; readonly idempotentHint: true }
}

/** Part of a result (server/tools, Tool Result). */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly title?: string
      readonly description?: string
      readonly mimeType?: string
      readonly size?: number
    }

/** What a model gets back. With `isError` the text says what to try next. */
export interface ToolResult {
  readonly content: readonly ToolContent[]
  readonly isError?: true
}

/** Arguments that were checked against the schema of their tool. */
export type ToolArguments = ReadonlyMap<string, unknown>

/** One call of a tool on its way. */
export interface ToolCall {
  /** Whose reads they are: what this caller may not read, no tool gives. */
  readonly call: Call
  readonly cursors: Cursors
  /** The most raw bytes that one read may take into memory. */
  readonly maxRead: number
  readonly answers?: Answers
  /** Told of an error that the model is not told of. */
  report(error: unknown): void
}

/** Places in lists, as texts that a model can carry. */
export interface Cursors {
  seal(query: string, after: Position): string
  /** @throws ShelfError `invalid-cursor` */
  open(query: string, cursor: string): Position
}

export interface Tool {
  readonly definition: ToolDefinition
  run(args: ToolArguments, asked: ToolCall): Promise<ToolResult | InputRequired>
}

/** All tools here read, and read the same again. */
export const READ_ONLY = { readOnlyHint: true, idempotentHint: true } as const

export function said(...texts: readonly string[]): ToolResult {
  return { content: texts.map((text) => ({ type: 'text', text })) }
}

/** An error in words, at most `MOST` characters. */
export function failed(text: string): ToolResult {
  return {
    content: [{ type: 'text', text: cut(text, MOST) }],
    isError: true,
  }
}

/** The longest error, in UTF-16 units: a model that is lost is not helped by more. */
const MOST = 1_400
