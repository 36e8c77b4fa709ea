import type { Outcome } from '../../src/library/index.ts'
import type { Asking } from './fixture-tool.ts'
import { RED_PIXEL } from './fixture-tool.ts'
import { answer, ask, form } from './input-tools.ts'

/** A prompt of the fixture: its arguments, and the messages it makes of them. */
export interface FixturePrompt {
  readonly description: string
  readonly arguments?: readonly { readonly name: string; readonly description: string; readonly required: boolean }[]
  get(args: { readonly [name: string]: unknown }, asking: Asking): Outcome
}

function messages(...contents: readonly object[]): Outcome {
  return { kind: 'result', value: { messages: contents.map((one) => ({ role: 'user', content: one })) } }
}

function text(words: string) {
  return { type: 'text', text: words }
}

/** The prompts that the official suite gets. */
export const PROMPTS: { readonly [name: string]: FixturePrompt } = {
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
    get: (_args, asking) =>
      answer(asking, 'user_context') === undefined
        ? ask({ user_context: form('What context should the prompt use?', 'context') })
        : messages(text('With the context that was given')),
  },
}

/** What every argument of a prompt is completed with. */
export const completions = (prefix: string): string[] => ['testValue1', 'testValue2'].filter((value) => value.startsWith(prefix))
