import type { Call } from './call.ts'

/** The same caller with another signal: for work that outlives the request it began with, or that ends before. */
export function withSignal(call: Call, signal: AbortSignal): Call {
  return {
    principal: call.principal,
    signal,
    allows: (operation, uri) => call.allows(operation, uri),
    ...(call.reaches && { reaches: (operation, prefix) => call.reaches?.(operation, prefix) ?? true }),
  }
}
