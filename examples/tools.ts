import { localCall } from 'shelfmark'
import type { Library } from 'shelfmark'
import { anthropicResult, openResourceTools, toolDefinitions } from 'shelfmark/host/tools'

/** What a model asks for, as the Messages API has it. */
interface ToolUse {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** The tools of a Library for a model that is called in this process, and how to run what it asks for. */
export async function modelTools(library: Library) {
  await library.start()
  const tools = openResourceTools(library, { templates: true })
  const call = localCall()
  return {
    definitions: await toolDefinitions(tools, call, 'anthropic'),
    run: async ({ id, name, input }: ToolUse) => ({
      ...anthropicResult(await tools.run(name, input, call)),
      tool_use_id: id,
    }),
    close: () => tools[Symbol.asyncDispose](),
  }
}
