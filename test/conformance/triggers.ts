import type { FixtureTool } from './fixture-tool.ts'
import { said } from './fixture-tool.ts'

/** Tools that make a list change, by how that is told. */
export function triggers(tell: { readonly tools: () => void; readonly prompts: () => void }): readonly FixtureTool[] {
  return [trigger('test_trigger_tool_change', tell.tools), trigger('test_trigger_prompt_change', tell.prompts)]
}

function trigger(name: string, change: () => void): FixtureTool {
  return {
    name,
    description: 'Makes a list change',
    call: () => {
      change()
      return said('Changed')
    },
  }
}
