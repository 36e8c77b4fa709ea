import { inputRequired } from '@modelcontextprotocol/server'
import type { InputRequiredResult, InputRequiredSpec, RequestStateCodec, ServerContext } from '@modelcontextprotocol/server'
import type { Outcome } from '../../src/library/index.ts'
import type { JsonValue } from '../../src/protocol/index.ts'
import { isObject, META_CLIENT_CAPABILITIES } from '../../src/protocol/index.ts'
import type { Asking } from './fixture-tool.ts'

/** A request to an official server, as tools and prompts of the fixture see it. */
export function askingOf({ mcpReq }: ServerContext): Asking {
  const { envelope = {}, inputResponses, _meta, requestState } = mcpReq
  const declared = (envelope as { readonly [key: string]: unknown })[META_CLIENT_CAPABILITIES]
  const clientCapabilities = isObject(declared) ? declared : {}
  const state = requestState<JsonValue>()
  return {
    clientCapabilities,
    answers:
      inputResponses === undefined && state === undefined
        ? undefined
        : { responses: inputResponses ?? {}, ...(state !== undefined && { state }) },
    log: (level, data) => void mcpReq.log(level, data),
    progress: (progress, total) => {
      const progressToken = _meta?.progressToken
      if (progressToken === undefined) return
      void mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total } })
    },
  }
}

/** What a tool or prompt of the fixture gave, as an official handler returns it. */
export async function officialResult<R>(
  outcome: Outcome | Promise<Outcome>,
  codec: RequestStateCodec<JsonValue>,
): Promise<R | InputRequiredResult> {
  const given = await outcome
  if (given.kind === 'result') return given.value as R
  if (given.kind === 'pieces') throw new TypeError('The fixture gives whole results')
  return inputRequired({
    ...(given.requests && { inputRequests: given.requests as NonNullable<InputRequiredSpec['inputRequests']> }),
    ...(given.state !== undefined && { requestState: await codec.mint(given.state) }),
  })
}
