import { ShelfError } from '../../errors.ts'
import { networkFailure } from './http-failure.ts'

/** Why a request will not be answered, out of what the official transport rejects with. */
export function explainFailure(error: unknown, origin: string): ShelfError {
  if (error instanceof ShelfError) return error
  const { name, message, status } = error as { readonly name?: string; readonly message?: string; readonly status?: unknown }
  if (status === 401 || name === 'UnauthorizedError') {
    return new ShelfError('refused', `${origin} needs authorization: log in, or give it a token`, {}, { cause: error })
  }
  if (name === 'InsufficientScopeError') {
    const { requiredScope } = error as { readonly requiredScope?: string }
    const what = requiredScope === undefined ? '' : ` (${JSON.stringify(requiredScope)})`
    return new ShelfError('refused', `${origin} needs a further permission${what}: log in again`, {}, { cause: error })
  }
  if (error instanceof SyntaxError) {
    return new ShelfError('unavailable', `${origin} answered with JSON that is not whole`, {}, { cause: error })
  }
  if (name?.endsWith('ZodError')) {
    return new ShelfError('parse-error', `${origin} answered with JSON that is no message of the protocol`, {}, { cause: error })
  }
  const redirect = /Redirect .*/.exec(message ?? '')?.[0]
  if (redirect !== undefined && typeof status === 'number') {
    return new ShelfError('unavailable', `${origin}: ${redirect.replace(/ \(redirectPolicy.*/, '')}`, {}, { cause: error })
  }
  return networkFailure(error, origin)
}
