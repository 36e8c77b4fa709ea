import { notFound } from '../errors.ts'
import { definePolicy } from './define-policy.ts'
import type { Provider } from './provider.ts'

/**
 * A Provider behind the decision that a Call carries. Denied answers like absent, in every operation alike; for
 * templates and completion the template's text is what is decided on.
 */
export const guarded: (provider: Provider) => Provider = definePolicy({
  name: 'access',
  personal: true,
  around: async (step, call, next) => {
    if (step.uri !== undefined && !call.allows(step.operation, step.uri)) throw notFound(step.uri)
    return next()
  },
  keep: (uri, operation, call) => call.allows(operation, uri),
})
