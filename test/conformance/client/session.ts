import { withInput } from '../../../src/client/input.ts'
import { Link } from '../../../src/client/link.ts'
import type { Connect, InputHandler } from '../../../src/client/index.ts'
import { systemClock } from '../../../src/library/index.ts'
import type { UncheckedObject } from '../../../src/protocol/index.ts'
import type { Run } from './run.ts'

/** What this program says of itself. */
export const INFO = { name: 'shelfmark-conformance-client', version: '1.0.0' }

/** Every capability that a question may need. */
export const CAPABILITIES = { roots: {}, sampling: {}, elicitation: {} }

const TIMEOUT_MS = 15_000

/**
 * The client's own connection to a server, for requests that a client of resources has no operation for: most scenarios
 * ask for tools, and mean the wire below them.
 */
export class Session implements AsyncDisposable {
  readonly #link: Link

  constructor({ era }: Run, connect: Connect) {
    this.#link = new Link(connect, {
      info: INFO,
      capabilities: CAPABILITIES,
      connectTimeoutMs: TIMEOUT_MS,
      probeMs: 3_000,
      era,
      clock: systemClock,
      random: Math.random,
      odd: (message) => process.stdout.write(`odd: ${message}\n`),
      opened: () => undefined,
      notified: () => undefined,
    })
  }

  request(method: string, params: UncheckedObject = {}): Promise<UncheckedObject> {
    return this.#link.request({ method, params, timeoutMs: TIMEOUT_MS })
  }

  async tools(): Promise<readonly UncheckedObject[]> {
    return (await this.request('tools/list'))['tools'] as UncheckedObject[]
  }

  /** The questions of a tool are answered as those of a resource are. */
  async call(name: string, args: UncheckedObject = {}, onInput?: InputHandler): Promise<UncheckedObject> {
    const params = { name, arguments: args }
    const { result } = await withInput(name, onInput, (more) => this.request('tools/call', { ...params, ...more }))
    return result
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#link.close()
  }
}
