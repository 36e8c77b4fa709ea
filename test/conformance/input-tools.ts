import type { InputRequired, Outcome } from '../../src/library/index.ts'
import { isObject } from '../../src/protocol/index.ts'
import type { Asking, FixtureTool } from './fixture-tool.ts'
import { said } from './fixture-tool.ts'

/** Asks for one string by a form. */
export function form(message: string, field: string, type = 'string') {
  return {
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties: { [field]: { type } }, required: [field] } },
  }
}

function question(text: string, maxTokens: number) {
  return {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens },
  }
}

const ROOTS = { method: 'roots/list', params: {} }

export function ask(requests: NonNullable<InputRequired['requests']>, state?: string): InputRequired {
  return { kind: 'input-required', requests, ...(state !== undefined && { state }) }
}

/** What was answered under a key, if it is an object. */
export function answer(asking: Asking, key: string): { readonly [name: string]: unknown } | undefined {
  const value = asking.answers?.responses[key]
  return isObject(value) ? value : undefined
}

function once(name: string, key: string, request: { method: string; params: object }, state?: string): FixtureTool {
  return {
    name,
    description: `Asks for ${key} and then is done`,
    call: (_args, asking): Outcome => (answer(asking, key) === undefined ? ask({ [key]: request }, state) : said(`Got ${key}`)),
  }
}

const several = {
  user_name: form('What is your name?', 'name'),
  greeting: question('Generate a greeting', 50),
  client_roots: ROOTS,
}

/** Tools that need several rounds (basic/patterns/mrtr). */
export const INPUT_TOOLS: readonly FixtureTool[] = [
  {
    name: 'test_input_required_result_elicitation',
    description: 'Greets whoever says a name',
    call: (_args, asking): Outcome => {
      const given = answer(asking, 'user_name')
      const name = isObject(given?.['content']) ? given['content']['name'] : undefined
      return typeof name === 'string' ? said(`Hello, ${name}!`) : ask({ user_name: form('What is your name?', 'name') })
    },
  },
  once('test_input_required_result_sampling', 'capital_question', question('What is the capital of France?', 100)),
  once('test_input_required_result_list_roots', 'client_roots', ROOTS),
  once('test_input_required_result_request_state', 'confirm', form('Please confirm', 'ok', 'boolean'), 'confirming'),
  once('test_input_required_result_tampered_state', 'confirm', form('Please confirm', 'ok', 'boolean'), 'untouched'),
  {
    name: 'test_input_required_result_multiple_inputs',
    description: 'Asks for three things at once',
    call: (_args, asking): Outcome => {
      const missing = Object.keys(several).some((key) => answer(asking, key) === undefined)
      return missing ? ask(several, 'three') : said('Got all three')
    },
  },
  {
    name: 'test_input_required_result_multi_round',
    description: 'Asks twice, one after the other',
    call: (_args, asking): Outcome => {
      const state = asking.answers?.state
      if (state === 'second' && answer(asking, 'step2')) return said('Done after two rounds')
      if (state === 'first' && answer(asking, 'step1'))
        return ask({ step2: form('Step 2: What is your favorite color?', 'color') }, 'second')
      return ask({ step1: form('Step 1: What is your name?', 'name') }, 'first')
    },
  },
  {
    name: 'test_input_required_result_capabilities',
    description: 'Asks only for what the client can do',
    call: (_args, asking): Outcome =>
      ask({
        ...('sampling' in asking.clientCapabilities && { idea: question('Any idea?', 10) }),
        ...('elicitation' in asking.clientCapabilities && { wish: form('Any wish?', 'wish') }),
      }),
  },
  {
    name: 'test_streaming_elicitation',
    description: 'Says that it works, then asks',
    call: (_args, asking): Outcome => {
      if (answer(asking, 'user_name')) return said('Thank you')
      asking.progress(1, 2)
      return ask({ user_name: form('What is your name?', 'name') })
    },
  },
  {
    name: 'test_missing_capability',
    description: 'Works only with a client that can sample',
    call: (_args, asking): Outcome =>
      answer(asking, 'idea') === undefined ? ask({ idea: question('Any idea?', 10) }) : said('The client can sample'),
  },
]
