import { ShelfError } from '../../src/errors.ts'
import type { Exchange, MethodModule, Outcome } from '../../src/library/index.ts'
import { topicFilter } from '../../src/library/index.ts'
import { objectParam, stringParam } from '../../src/protocol/index.ts'
import { RED_PIXEL } from './fixture-tool.ts'
import { answer, ask, form } from './input-tools.ts'

interface FixturePrompt {
  readonly description: string
  readonly arguments?: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
  get(args: { readonly [name: string]: unknown }, exchange: Exchange): Outcome
}

function messages(...contents: readonly object[]): Outcome {
  return { kind: 'result', value: { messages: contents.map((one) => ({ role: 'user', content: one })) } }
}

function text(words: string) {
  return { type: 'text', text: words }
}

const PROMPTS: { readonly [name: string]: FixturePrompt } = {
  test_simple_prompt: { description: 'One sentence', get: () => messages(text('This is a simple prompt for testing.')) },
  test_prompt_with_arguments: {
    description: 'One sentence with two arguments',
    arguments: [
      { name: 'arg1', description: 'First test argument', required: true },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
    get: (args) => messages(text(`Prompt with arguments: arg1='${String(args['arg1'])}', arg2='${String(args['arg2'])}'`)),
  },
  test_prompt_with_embedded_resource: {
    description: 'A resource and a request',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
    get: (args) =>
      messages(
        {
          type: 'resource',
          resource: { uri: args['resourceUri'], mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        text('Please process the embedded resource above.'),
      ),
  },
  test_prompt_with_image: {
    description: 'An image and a request',
    get: () => messages({ type: 'image', data: RED_PIXEL, mimeType: 'image/png' }, text('Please analyze the image above.')),
  },
  test_input_required_result_prompt: {
    description: 'Asks for its context first',
    get: (_args, exchange) =>
      answer(exchange, 'user_context') === undefined
        ? ask({ user_context: form('What context should the prompt use?', 'context') })
        : messages(text('With the context that was given')),
  },
}

/** The prompts that the official suite gets, as a module of the Engine. */
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
        const values = ['testValue1', 'testValue2'].filter((value) => value.startsWith(prefix))
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
