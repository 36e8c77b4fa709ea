import { ShelfError } from '../../src/errors.ts'
import type { MethodModule, ModuleSignals } from '../../src/library/index.ts'
import { topicFilter } from '../../src/library/index.ts'
import { objectParam, stringParam } from '../../src/protocol/index.ts'
import { INPUT_TOOLS } from './input-tools.ts'
import { PLAIN_TOOLS } from './plain-tools.ts'
import { triggers } from './triggers.ts'

const TOOLS_CHANGED = 'notifications/tools/list_changed'
const PROMPTS_CHANGED = 'notifications/prompts/list_changed'

/** The tools that the official suite calls, as a module of the Engine. */
export function toolsModule(): MethodModule {
  let signals: ModuleSignals | undefined
  const changes = triggers({
    tools: () => signals?.listChanged(TOOLS_CHANGED),
    prompts: () => signals?.listChanged(PROMPTS_CHANGED),
  })
  const tools = new Map([...PLAIN_TOOLS, ...INPUT_TOOLS, ...changes].map((tool) => [tool.name, tool]))
  return {
    name: 'tools',
    logs: true,
    capabilities: () => ({ tools: { listChanged: true } }),
    listens: [topicFilter('toolsListChanged', TOOLS_CHANGED)],
    start: (given) => {
      signals = given
    },
    methods: [
      {
        descriptor: { method: 'tools/list', kind: 'request', from: 'client', eras: ['legacy', 'modern'], cacheable: true },
        handle: (params, exchange) =>
          exchange.listing(params, {
            query: 'tools/list',
            member: 'tools',
            fetch: async () => ({
              items: [...tools.values()].map(({ name, description, inputSchema }) => ({
                name,
                description,
                inputSchema: inputSchema ?? { type: 'object', properties: {} },
              })),
            }),
          }),
      },
      {
        descriptor: {
          method: 'tools/call',
          kind: 'request',
          from: 'client',
          eras: ['legacy', 'modern'],
          nameField: 'name',
          asksInput: true,
        },
        handle: (params, exchange) => {
          const name = stringParam(params, 'name')
          const tool = tools.get(name)
          if (tool === undefined) throw new ShelfError('invalid-params', `Unknown tool: ${name}`, { param: 'name' })
          return tool.call(objectParam(params, 'arguments') ?? {}, exchange)
        },
      },
    ],
  }
}
