import type { Call } from '../../library/index.ts'

/** The same caller, for work that outlives the request it began with. */
export function lasting(call: Call, signal: AbortSignal): Call {
  return {
    principal: call.principal,
    signal,
    allows: (operation, uri) => call.allows(operation, uri),
    ...(call.reaches && { reaches: (operation, prefix) => call.reaches?.(operation, prefix) ?? true }),
  }
}
