import type { AuthProvider, FetchLike, OAuthClientProvider } from '@modelcontextprotocol/client'
import { ShelfError } from '../../errors.ts'
import { printable } from '../../runtime/index.ts'
import { networkFailure } from './http-failure.ts'

/** Of what an authorization server says, in a message. */
const EXCERPT = 200

type Official = typeof import('@modelcontextprotocol/client')
type Unauthorized = Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0]

/** A provider that also waits for the person: the login is then finished here, and the request goes on. */
export interface LoginProvider extends OAuthClientProvider {
  /** Called before each flow, whether it needs a person or not. */
  openLogin(): Promise<Login>
}

export interface Login {
  /** What the authorization server sent the browser back with, after `redirectToAuthorization`. */
  callback(): Promise<URLSearchParams>
  close(): Promise<void>
}

/** The tokens of a connection. */
export interface Authorizer extends AuthProvider {
  onUnauthorized(context: Unauthorized): Promise<void>
  /** Gets a token that may do more, after a 403 which says what is missing. */
  onInsufficientScope(context: Unauthorized): Promise<void>
}

/** Where authorization gets what it needs. */
export interface AuthorizationContext {
  readonly official: Official
  /** How to ask others than the server; headers that are meant for the server do not belong there. */
  readonly fetch: FetchLike
  /** The connection is over. */
  readonly signal: AbortSignal
  /** A person is waited for. */
  readonly onWait: (over: Promise<void>) => void
}

/**
 * The official OAuth flow for one connection. It runs once for all requests that wait for it: a refresh token may be
 * used one time only, and a person is not asked twice.
 */
export function authorizeOnce(provider: OAuthClientProvider, context: AuthorizationContext): Authorizer {
  let flight: Promise<void> | undefined
  const once = (unauthorized: Unauthorized, wider: boolean): Promise<void> =>
    (flight ??= authorize(provider, context, unauthorized, wider).finally(() => {
      flight = undefined
    }))
  return {
    token: async () => (await provider.tokens())?.access_token,
    onUnauthorized: (unauthorized) => once(unauthorized, false),
    onInsufficientScope: (unauthorized) => once(unauthorized, true),
  }
}

/** @param wider whether a token that is refreshed would not be enough */
async function authorize(
  provider: OAuthClientProvider,
  context: AuthorizationContext,
  { response, serverUrl }: Unauthorized,
  wider: boolean,
): Promise<void> {
  const { auth, computeScopeUnion, extractWWWAuthenticateParams } = context.official
  const { resourceMetadataUrl, scope: wanted } = extractWWWAuthenticateParams(response)
  const login = canLogIn(provider) ? await provider.openLogin() : undefined
  const close = (): void => void login?.close()
  context.signal.addEventListener('abort', close)
  try {
    const scope = wider ? computeScopeUnion((await provider.tokens())?.scope, wanted) : wanted
    const base = {
      serverUrl,
      fetchFn: context.fetch,
      ...(scope !== undefined && { scope }),
      ...(wider && { forceReauthorization: true }),
      // Whoever is asked to log in believes what this document says: it must come from the server itself.
      ...(resourceMetadataUrl?.origin === new URL(serverUrl).origin && { resourceMetadataUrl }),
    }
    if ((await auth(provider, base)) === 'AUTHORIZED') return
    if (login === undefined) throw new ShelfError('refused', 'The login is begun: finish it, and connect again', {})
    const back = login.callback()
    const over = back.then(
      () => undefined,
      () => undefined,
    )
    context.onWait(over)
    const params = await back
    const code = params.get('code')
    if (code === null) throw new ShelfError('refused', `The login failed${reasonOf(params)}`, {})
    const iss = params.get('iss')
    await auth(provider, { ...base, authorizationCode: code, ...(iss !== null && { iss }) })
  } catch (error) {
    throw loginFailure(error, context.official)
  } finally {
    context.signal.removeEventListener('abort', close)
    close()
  }
}

/** The same provider, which gets its tokens without what is meant for the server. */
export function asideFrom(provider: AuthProvider, fetch: FetchLike): AuthProvider {
  return {
    token: () => provider.token(),
    ...(provider.onUnauthorized !== undefined && {
      onUnauthorized: (unauthorized: Unauthorized) => provider.onUnauthorized!({ ...unauthorized, fetchFn: fetch }),
    }),
  }
}

export function isOAuthProvider(provider: AuthProvider | OAuthClientProvider | undefined): provider is OAuthClientProvider {
  return provider !== undefined && 'tokens' in provider && 'clientInformation' in provider
}

function canLogIn(provider: OAuthClientProvider): provider is LoginProvider {
  return 'openLogin' in provider && typeof provider.openLogin === 'function'
}

function loginFailure(error: unknown, { RegistrationRejectedError }: Official): ShelfError {
  if (error instanceof ShelfError) return error
  // So it is with a server that knows tokens and no authorization server: the official flow then takes it for one.
  if (error instanceof RegistrationRejectedError) {
    const what = `this program cannot be registered there (HTTP ${error.status})`
    return new ShelfError('refused', `The login failed: ${what}; give a token instead`, {}, { cause: error })
  }
  if (error instanceof TypeError) return networkFailure(error, 'The authorization server')
  const text = printable(error instanceof Error ? error.message : String(error)).slice(0, EXCERPT)
  return new ShelfError('refused', `The login failed: ${text}`, {}, { cause: error })
}

/** Errors of RFC 6749 section 4.1.2.1; text that anybody may have put into the address is not repeated. */
const REASONS: Readonly<Record<string, string>> = {
  access_denied: 'access was denied',
  invalid_scope: 'the server does not know what was asked for',
  unauthorized_client: 'this program may not log in there',
  server_error: 'the authorization server failed',
  temporarily_unavailable: 'the authorization server is unavailable for now',
}

function reasonOf(params: URLSearchParams): string {
  const reason = REASONS[params.get('error') ?? '']
  return reason === undefined ? '' : `: ${reason}`
}
