import type { Exchange, InputRequired, Outcome } from '../../src/library/index.ts'
import { isObject } from '../../src/protocol/index.ts'
import type { FixtureTool } from './fixture-tool.ts'
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
export function answer(exchange: Exchange, key: string): { readonly [name: string]: unknown } | undefined {
  const value = exchange.answers?.responses[key]
  return isObject(value) ? value : undefined
}

function once(name: string, key: string, request: { method: string; params: object }, state?: string): FixtureTool {
  return {
    name,
    description: `Asks for ${key} and then is done`,
    call: (_args, exchange): Outcome =>
      answer(exchange, key) === undefined ? ask({ [key]: request }, state) : said(`Got ${key}`),
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
    call: (_args, exchange): Outcome => {
      const given = answer(exchange, 'user_name')
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
    call: (_args, exchange): Outcome => {
      const missing = Object.keys(several).some((key) => answer(exchange, key) === undefined)
      return missing ? ask(several, 'three') : said('Got all three')
    },
  },
  {
    name: 'test_input_required_result_multi_round',
    description: 'Asks twice, one after the other',
    call: (_args, exchange): Outcome => {
      const state = exchange.answers?.state
      if (state === 'second' && answer(exchange, 'step2')) return said('Done after two rounds')
      if (state === 'first' && answer(exchange, 'step1'))
        return ask({ step2: form('Step 2: What is your favorite color?', 'color') }, 'second')
      return ask({ step1: form('Step 1: What is your name?', 'name') }, 'first')
    },
  },
  {
    name: 'test_input_required_result_capabilities',
    description: 'Asks only for what the client can do',
    call: (_args, exchange): Outcome =>
      ask({
        ...('sampling' in exchange.clientCapabilities && { idea: question('Any idea?', 10) }),
        ...('elicitation' in exchange.clientCapabilities && { wish: form('Any wish?', 'wish') }),
      }),
  },
  {
    name: 'test_streaming_elicitation',
    description: 'Says that it works, then asks',
    call: (_args, exchange): Outcome => {
      if (answer(exchange, 'user_name')) return said('Thank you')
      exchange.progress(1, 2)
      return ask({ user_name: form('What is your name?', 'name') })
    },
  },
  {
    name: 'test_missing_capability',
    description: 'Works only with a client that can sample',
    call: (_args, exchange): Outcome => {
      exchange.requireClient({ sampling: {} })
      return said('The client can sample')
    },
  },
]
