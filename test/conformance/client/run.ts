import type { Era } from '../../../src/protocol/index.ts'

/** What the suite tells the client that it starts for a scenario. */
export interface Run {
  readonly scenario: string
  /** The server that the suite has started. */
  readonly url: string
  /** The era of the revision that is tried. */
  readonly era: Era
  /** What else a scenario gives: credentials, calls to make. */
  readonly context: { readonly [name: string]: unknown }
}

/** What the client does in a scenario. What it rejects with fails the scenario, whatever the suite has seen. */
export type Drive = (run: Run) => Promise<void>

export type Scenarios = Readonly<Record<string, Drive>>

/** A text out of the context. */
export function given({ scenario, context }: Run, name: string): string {
  const value = context[name]
  if (typeof value !== 'string') throw new Error(`${scenario} gives no ${name}`)
  return value
}

/** Reads what the suite told: the URL is the last argument, all else stands in the environment. */
export function runOf(args: readonly string[], env: NodeJS.ProcessEnv): Run {
  const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_PROTOCOL_VERSION: version = '' } = env
  return {
    scenario,
    url: args.at(-1) ?? '',
    era: version >= '2026-07-28' ? 'modern' : 'legacy',
    context: JSON.parse(env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Run['context'],
  }
}
