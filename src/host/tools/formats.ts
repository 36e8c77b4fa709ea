import type { Call } from '../../library/index.ts'
import { linkedSignal, withSignal } from '../../library/index.ts'
import type { ObjectSchema } from './json-schema.ts'
import type { ResourceTools } from './resource-tools.ts'
import type { ToolContent, ToolDefinition, ToolResult } from './tool.ts'

/** A tool of the Messages API of Anthropic. */
export interface AnthropicTool {
  readonly name: string
  readonly description: string
  readonly input_schema: ObjectSchema
}

/** A tool of the Chat Completions API of OpenAI, and of the many that are like it. */
export interface OpenAiTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description: string; readonly parameters: ObjectSchema }
}

/** A tool of the Responses API of OpenAI. */
export interface OpenAiResponsesTool {
  readonly type: 'function'
  readonly name: string
  readonly description: string
  readonly parameters: ObjectSchema
  readonly strict: false
}

/** A tool of `generateText` and `streamText` of the AI SDK 6 and 7, which runs itself. */
export interface AiSdkTool {
  readonly description: string
  readonly inputSchema: { readonly jsonSchema: ObjectSchema; readonly validate: undefined; readonly [symbol: symbol]: true }
  execute(args: unknown, options?: { readonly abortSignal?: AbortSignal }): Promise<ToolResult>
  toModelOutput(result: { readonly output: ToolResult }): object
}

interface DefinitionsByFormat {
  readonly mcp: readonly ToolDefinition[]
  readonly anthropic: readonly AnthropicTool[]
  readonly openai: readonly OpenAiTool[]
  readonly 'openai-responses': readonly OpenAiResponsesTool[]
  readonly 'ai-sdk': { readonly [name: string]: AiSdkTool }
}

/** Whose tools they are to be. */
export type ToolFormat = keyof DefinitionsByFormat

/** The tools of one caller in the words of a model's API. */
export async function toolDefinitions<F extends ToolFormat>(
  tools: ResourceTools,
  call: Call,
  format: F,
): Promise<DefinitionsByFormat[F]> {
  const definitions = await tools.definitions(call)
  const formatted: { readonly [K in ToolFormat]: () => DefinitionsByFormat[K] } = {
    mcp: () => definitions,
    anthropic: () => definitions.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema })),
    openai: () =>
      definitions.map(({ name, description, inputSchema }) => ({
        type: 'function',
        function: { name, description, parameters: inputSchema },
      })),
    'openai-responses': () =>
      definitions.map(({ name, description, inputSchema }) => ({
        type: 'function',
        name,
        description,
        parameters: inputSchema,
        strict: false,
      })),
    'ai-sdk': () => Object.fromEntries(definitions.map((one) => [one.name, aiSdkTool(tools, call, one)])),
  }
  return formatted[format]()
}

/** By it the AI SDK knows a schema, whatever made it. */
const AI_SDK_SCHEMA = Symbol.for('vercel.ai.schema')

function aiSdkTool(tools: ResourceTools, call: Call, { name, description, inputSchema }: ToolDefinition): AiSdkTool {
  return {
    description,
    inputSchema: { jsonSchema: inputSchema, validate: undefined, [AI_SDK_SCHEMA]: true },
    execute: async (args, { abortSignal } = {}) => {
      if (abortSignal === undefined) return tools.run(name, args, call)
      const { signal, end } = linkedSignal(call.signal, abortSignal)
      try {
        return await tools.run(name, args, withSignal(call, signal))
      } finally {
        end()
      }
    },
    toModelOutput: ({ output }) => aiSdkOutput(output),
  }
}

function aiSdkOutput({ content, isError }: ToolResult): object {
  if (isError) return { type: 'error-text', value: textOf(content) }
  const value = content.flatMap((one): object[] => {
    if (one.type === 'text') return [{ type: 'text', text: one.text }]
    if (one.type === 'image') return [{ type: 'image-data', data: one.data, mediaType: one.mimeType }]
    return []
  })
  return { type: 'content', value }
}

/** A result as the block `tool_result` of Anthropic has it, without its `tool_use_id`. */
export function anthropicResult({ content, isError }: ToolResult): {
  readonly type: 'tool_result'
  readonly content: readonly object[]
  readonly is_error?: true
} {
  const blocks = content.flatMap((one): object[] => {
    if (one.type === 'text') return one.text === '' ? [] : [{ type: 'text', text: one.text }]
    if (one.type === 'image') return [{ type: 'image', source: { type: 'base64', media_type: one.mimeType, data: one.data } }]
    return []
  })
  return { type: 'tool_result', content: blocks, ...(isError && { is_error: true }) }
}

/** A result as the `content` of a message of role `tool` of OpenAI, which takes text alone: images are named. */
export function openAiResult({ content }: ToolResult): string {
  return textOf(content)
}

/** A result as the `output` of a `function_call_output` of the Responses API. */
export function openAiResponsesResult({ content }: ToolResult): readonly object[] {
  return content.flatMap((one): object[] => {
    if (one.type === 'text') return [{ type: 'input_text', text: one.text }]
    if (one.type === 'image') return [{ type: 'input_image', image_url: `data:${one.mimeType};base64,${one.data}` }]
    return []
  })
}

/** The text of a result. What links say, it says too. */
function textOf(content: readonly ToolContent[]): string {
  return content
    .flatMap((one) => {
      if (one.type === 'text') return [one.text]
      return one.type === 'image' ? [`[An image of type ${one.mimeType}, which this API takes no tool result for.]`] : []
    })
    .join('\n')
}
