import type { Call, Provider } from '../../library/index.ts'
import { guarded, heedless, systemClock } from '../../library/index.ts'
import { explainRead } from './advice.ts'
import { findResourcesTool } from './find-resources.ts'
import { checkArguments } from './json-schema.ts'
import { KeptCursors } from './kept-cursors.ts'
import { listResourcesTool } from './list-resources.ts'
import { oneLine } from '../text/index.ts'
import type { ResourceToolsOptions } from './options.ts'
import { limitsOf } from './options.ts'
import { readResourceTool } from './read-resource.ts'
import { Searches } from './searches.ts'
import { TemplateTools } from './template-tools.ts'
import type { Tool, ToolCall, ToolDefinition, ToolResult } from './tool.ts'
import { failed } from './tool.ts'

/** Everything readable of a Provider, as tools of a model. */
export interface ResourceTools extends AsyncDisposable {
  /** The tools that this caller has, as the protocol has them. */
  definitions(call: Call): Promise<readonly ToolDefinition[]>
  /** The tool of this name, if this caller has it. */
  find(name: string, call: Call): Promise<Tool | undefined>
  /**
   * Runs a tool, with arguments as an object or as the JSON text that models write. What goes wrong is in the result, in
   * words for the model; only `cancelled` is thrown.
   */
  run(name: string, args: unknown, call: Call): Promise<ToolResult>
  /**
   * Tells when somebody who has had `definitions` would get others, for there are other templates now; what it returns ends that.
   * Absent where that never happens, or cannot be told.
   */
  readonly onChange?: (listener: () => void) => () => void
}

/**
 * Makes tools of a Provider: `find_resources`, `read_resource`, `list_resources`, and of templates if wanted. Each reads
 * with the rights of its caller. The Provider is started and disposed by whoever made it; what is disposed here are the
 * indexes, of which the first is made with the first search.
 *
 * @throws ShelfError `invalid-option`
 */
export function openResourceTools(provider: Provider, options: ResourceToolsOptions = {}): ResourceTools {
  const limits = limitsOf(options.limits)
  const clock = options.clock ?? systemClock
  const data = guarded(provider)
  const searches = new Searches(data, limits, { ...options.search, clock })
  const own = new Map(
    [findResourcesTool(data, searches), readResourceTool(data, searches, limits), listResourcesTool(data, limits)].map((tool) => [
      tool.definition.name,
      tool,
    ]),
  )
  const wanted = options.templates ?? false
  const listeners = new Set<() => void>()
  const templates = new TemplateTools(data, wanted, { taken: [...own.keys()], limits, clock }, () => {
    for (const listener of listeners) heedless(listener)
  })
  const cursors = new KeptCursors()
  const find = async (name: string, call: Call): Promise<Tool | undefined> =>
    own.get(name) ?? (await templates.of(call, false)).get(name)
  return {
    find,
    definitions: async (call) =>
      [...own.values(), ...(await templates.of(call, true)).values()].map(({ definition }) => definition),
    run: async (name, given, call) => {
      const asked: ToolCall = {
        call,
        cursors: cursors.of(call.principal.id),
        maxRead: limits.maxRead,
        report: (error) => heedless(() => options.onError?.(error)),
      }
      try {
        const tool = await find(name, call)
        if (tool === undefined) return unknownTool(name, own.keys())
        const args = checkArguments(tool.definition.inputSchema, typeof given === 'string' ? parsed(given) : given)
        if (typeof args === 'string') return failed(args)
        const result = await tool.run(args, asked)
        return 'kind' in result ? failed(QUESTION) : result
      } catch (error) {
        return explainRead(error, `The tool ${name}`, asked)
      }
    },
    ...(wanted !== false &&
      data.watch !== undefined && {
        onChange: (listener: () => void) => {
          listeners.add(listener)
          return () => void listeners.delete(listener)
        },
      }),
    [Symbol.asyncDispose]: async () => {
      listeners.clear()
      await Promise.all([searches[Symbol.asyncDispose](), templates[Symbol.asyncDispose]()])
    },
  }
}

/** What a model gets of a resource whose contents depend on answers (basic/patterns/mrtr). */
const QUESTION = 'This resource asks its user something first, which only works in an MCP client. Read something else.'

function unknownTool(name: string, names: Iterable<string>): ToolResult {
  return failed(`There is no tool ${JSON.stringify(oneLine(name, 64))}. The tools are ${[...names].join(', ')}.`)
}

/** Arguments as models write them; no text at all is no arguments. Null is no object, and is told as that. */
function parsed(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
