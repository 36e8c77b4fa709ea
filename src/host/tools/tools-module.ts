import { ShelfError } from '../../errors.ts'
import type { Exchange, InputRequired, MethodModule, ModuleSignals, Outcome } from '../../library/index.ts'
import { topicFilter } from '../../library/index.ts'
import type { CacheHint, RevisionFacts } from '../../protocol/index.ts'
import { REVISIONS, stringParam, TOOLS_CALL, TOOLS_CHANGED, TOOLS_LIST } from '../../protocol/index.ts'
import { checkArguments } from './json-schema.ts'
import { oneLine } from '../text/index.ts'
import type { ResourceTools } from './resource-tools.ts'
import type { ToolDefinition, ToolResult } from './tool.ts'
import { failed } from './tool.ts'

/** What a template makes of its variables may differ by caller, and from one moment to the next. */
const HINT: CacheHint = { ttlMs: 0, cacheScope: 'private' }

/**
 * Tools as methods of an Engine, for hosts that know only tools: `tools/list` and `tools/call` (server/tools). Where those of
 * templates may change, it tells of that.
 */
export function resourceToolsModule(tools: ResourceTools): MethodModule {
  const telling = new Map<ModuleSignals, () => void>()
  return {
    name: 'tools',
    capabilities: () => ({ tools: tools.onChange === undefined ? {} : { listChanged: true } }),
    listens: tools.onChange === undefined ? [] : [topicFilter('toolsListChanged', TOOLS_CHANGED.method)],
    start: (signals) => {
      const end = tools.onChange?.(() => signals.listChanged(TOOLS_CHANGED.method))
      if (end !== undefined) telling.set(signals, end)
    },
    stop: async (signals) => {
      telling.get(signals)?.()
      telling.delete(signals)
    },
    methods: [
      {
        descriptor: TOOLS_LIST,
        handle: async (params, exchange) => {
          if (params['cursor'] !== undefined && params['cursor'] !== '')
            throw new ShelfError('invalid-cursor', 'Invalid cursor', {})
          const facts: RevisionFacts = REVISIONS[exchange.revision]
          const definitions = await tools.definitions(exchange)
          return { kind: 'result', value: { tools: definitions.map((one) => shapeTool(one, facts)) }, hint: HINT }
        },
      },
      {
        descriptor: TOOLS_CALL,
        handle: async (params, exchange) => shapeResult(await called(tools, params, exchange), exchange),
      },
    ],
  }
}

async function called(
  tools: ResourceTools,
  params: { readonly [name: string]: unknown },
  exchange: Exchange,
): Promise<ToolResult | InputRequired> {
  const name = stringParam(params, 'name')
  const tool = await tools.find(name, exchange)
  if (tool === undefined) throw new ShelfError('invalid-params', `Unknown tool: ${oneLine(name, 100)}`, { param: 'name' })
  const args = checkArguments(tool.definition.inputSchema, params['arguments'])
  if (typeof args === 'string') return failed(args)
  const { answers, maxRead } = exchange
  return tool.run(args, {
    call: exchange,
    cursors: {
      seal: (query, after) => exchange.sealCursor(query, after),
      open: (query, cursor) => exchange.openCursor(query, cursor),
    },
    maxRead,
    ...(answers !== undefined && { answers }),
    report: (error) => exchange.report(error),
  })
}

function shapeTool({ title, annotations, ...tool }: ToolDefinition, facts: RevisionFacts): object {
  return { ...tool, ...(facts.title && { title }), ...(facts.toolAnnotations && { annotations }) }
}

/** A result as the revision knows it: the text says all that links say. */
function shapeResult(result: ToolResult | InputRequired, { revision }: Exchange): Outcome {
  if ('kind' in result) return result
  const facts: RevisionFacts = REVISIONS[revision]
  const content = facts.resourceLinks ? result.content : result.content.filter(({ type }) => type !== 'resource_link')
  return { kind: 'result', value: { ...result, content } }
}
