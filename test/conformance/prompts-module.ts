import { ShelfError } from '../../src/errors.ts'
import type { MethodModule } from '../../src/library/index.ts'
import { topicFilter } from '../../src/library/index.ts'
import { objectParam, stringParam } from '../../src/protocol/index.ts'
import { completions, PROMPTS } from './prompts.ts'

/** The prompts as a module of the Engine. */
export function promptsModule(): MethodModule {
  return {
    name: 'prompts',
    capabilities: () => ({ prompts: { listChanged: true } }),
    listens: [topicFilter('promptsListChanged', 'notifications/prompts/list_changed')],
    completes: {
      type: 'ref/prompt',
      complete: async ({ ref, prefix }) => {
        const name = ref['name']
        if (typeof name !== 'string' || PROMPTS[name] === undefined)
          throw new ShelfError('invalid-params', 'No such prompt', { param: 'ref' })
        const values = completions(prefix)
        return { values, total: values.length, hasMore: false }
      },
    },
    methods: [
      {
        descriptor: { method: 'prompts/list', kind: 'request', from: 'client', eras: ['legacy', 'modern'], cacheable: true },
        handle: (params, exchange) =>
          exchange.listing(params, {
            query: 'prompts/list',
            member: 'prompts',
            fetch: async () => ({
              items: Object.entries(PROMPTS).map(([name, prompt]) => ({
                name,
                description: prompt.description,
                ...(prompt.arguments && { arguments: prompt.arguments }),
              })),
            }),
          }),
      },
      {
        descriptor: {
          method: 'prompts/get',
          kind: 'request',
          from: 'client',
          eras: ['legacy', 'modern'],
          nameField: 'name',
          asksInput: true,
        },
        handle: (params, exchange) => {
          const name = stringParam(params, 'name')
          const prompt = PROMPTS[name]
          if (prompt === undefined) throw new ShelfError('invalid-params', `Unknown prompt: ${name}`, { param: 'name' })
          return prompt.get(objectParam(params, 'arguments') ?? {}, exchange)
        },
      },
    ],
  }
}
