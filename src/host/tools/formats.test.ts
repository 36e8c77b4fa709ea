import { describe, expect, it, onTestFinished } from 'vitest'
import { localCall } from '../../library/index.ts'
import { memory } from '../../providers/memory/index.ts'
import type { ToolFormat, ToolResult } from './index.ts'
import { anthropicResult, openAiResponsesResult, openAiResult, openResourceTools, toolDefinitions } from './index.ts'

const call = localCall()

function opened() {
  const tools = openResourceTools(memory({ resources: [{ uri: 'note:a', text: 'A' }] }))
  onTestFinished(() => tools[Symbol.asyncDispose]())
  return tools
}

const shown: ToolResult = {
  content: [
    { type: 'text', text: 'one' },
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
    { type: 'resource_link', uri: 'note:a', name: 'a' },
  ],
}

describe('toolDefinitions()', () => {
  it.each<[format: Exclude<ToolFormat, 'ai-sdk'>, shape: object]>([
    ['mcp', { name: 'list_resources', inputSchema: { type: 'object' } }],
    ['anthropic', { name: 'list_resources', input_schema: { type: 'object' } }],
    ['openai', { type: 'function', function: { name: 'list_resources', parameters: { type: 'object' } } }],
    ['openai-responses', { type: 'function', name: 'list_resources', parameters: { type: 'object' }, strict: false }],
  ])('gives them as %s has them', async (format, shape) => {
    const definitions = await toolDefinitions(opened(), call, format)
    expect(definitions).toHaveLength(3)
    expect(definitions[2]).toMatchObject(shape)
  })

  it('gives them as the AI SDK has them, ready to run', async () => {
    const { read_resource: read } = await toolDefinitions(opened(), call, 'ai-sdk')
    const result = await read?.execute({ uri: 'note:a' }, { abortSignal: new AbortController().signal })
    expect(result && read?.toModelOutput({ output: result })).toEqual({ type: 'content', value: [{ type: 'text', text: 'A' }] })
    expect(read?.toModelOutput({ output: shown })).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: 'one' },
        { type: 'image-data', data: 'AA==', mediaType: 'image/png' },
      ],
    })
    const failed = await read?.execute({})
    expect(failed && read?.toModelOutput({ output: failed })).toMatchObject({
      type: 'error-text',
      value: expect.stringMatching(/^Wrong arguments/) as string,
    })
  })
})

describe('results', () => {
  it('are blocks for Anthropic', () => {
    expect(anthropicResult(shown)).toEqual({
      type: 'tool_result',
      content: [
        { type: 'text', text: 'one' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
      ],
    })
    expect(anthropicResult({ content: [{ type: 'text', text: '' }], isError: true })).toEqual({
      type: 'tool_result',
      content: [],
      is_error: true,
    })
  })

  it('are text, or parts, for OpenAI', () => {
    expect(openAiResult(shown)).toBe('one\n[An image of type image/png, which this API takes no tool result for.]')
    expect(openAiResponsesResult(shown)).toEqual([
      { type: 'input_text', text: 'one' },
      { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
    ])
  })
})
