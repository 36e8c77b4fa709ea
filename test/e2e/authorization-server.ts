import { createHash, randomUUID } from 'node:crypto'
import { endpointThat, JSON_TYPE } from '../faults/hostile-endpoint.ts'

/** An authorization server and an MCP server that asks for its tokens, in one process; gone with the test. */
export interface Guarded {
  readonly url: string
  readonly origin: string
  /** What was asked, `POST /token refresh_token` for example. */
  readonly asked: string[]
  readonly clients: Set<string>
  /** Where each client may be sent back to. */
  readonly redirects: Map<string, readonly string[]>
  /** Tokens that are good, with their scope. */
  readonly tokens: Map<string, string>
  readonly refreshTokens: Set<string>
  /** Headers of requests to the authorization server. */
  readonly seen: Record<string, unknown>[]
  /** Proofs of a key that came with tokens, or with requests for them. */
  readonly proofs: string[]
  /** What a read needs. */
  scope: string
  /** What the person answers. */
  consent: 'code' | 'access_denied' | 'nothing'
  /** Another document for the metadata of the resource. */
  resourceMetadata: string | undefined
}

export async function openGuarded(): Promise<Guarded> {
  const codes = new Map<string, { challenge: string; scope: string; redirectUrl: string; client: string }>()
  const state: Omit<Guarded, 'url' | 'origin'> = {
    asked: [],
    clients: new Set(),
    redirects: new Map(),
    tokens: new Map(),
    refreshTokens: new Set(),
    seen: [],
    proofs: [],
    scope: '',
    consent: 'code',
    resourceMetadata: undefined,
  }
  let guarded!: Guarded
  const grant = (scope: string, type = 'Bearer') => {
    const [access, refresh] = [randomUUID(), randomUUID()]
    state.tokens.set(access, scope)
    state.refreshTokens.add(refresh)
    return JSON.stringify({ access_token: access, token_type: type, expires_in: 60, refresh_token: refresh, scope })
  }
  const { url } = await endpointThat(({ request, response, message, text }) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', guarded.origin)
    const json = (status: number, body: string): void => void response.writeHead(status, JSON_TYPE).end(body)
    const { origin } = guarded
    if (pathname === '/mcp') {
      const [, scheme, token = ''] = /^(Bearer|DPoP) (.*)$/.exec(request.headers.authorization ?? '') ?? []
      if (scheme === 'DPoP') state.proofs.push(String(request.headers['dpop']))
      const metadata = state.resourceMetadata ?? `${origin}/.well-known/oauth-protected-resource`
      const challenge = (extra: string) => ({ 'www-authenticate': `Bearer resource_metadata="${metadata}"${extra}` })
      if (!state.tokens.has(token)) response.writeHead(401, challenge('')).end()
      else if (!state.scope.split(' ').every((scope) => scope === '' || state.tokens.get(token)!.split(' ').includes(scope))) {
        response.writeHead(403, challenge(`, error="insufficient_scope", scope="${state.scope}"`)).end()
      } else json(200, JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }))
      return
    }
    state.seen.push({ ...request.headers })
    const form = new URLSearchParams(text)
    state.asked.push(`${request.method} ${pathname}${form.has('grant_type') ? ` ${form.get('grant_type')}` : ''}`)
    if (pathname === '/.well-known/oauth-protected-resource') {
      json(200, JSON.stringify({ resource: url, authorization_servers: [origin], scopes_supported: ['read'] }))
    } else if (pathname === '/.well-known/oauth-authorization-server') {
      const endpoints = { authorization_endpoint: '/authorize', token_endpoint: '/token', registration_endpoint: '/register' }
      const whole = Object.fromEntries(Object.entries(endpoints).map(([name, path]) => [name, origin + path]))
      json(
        200,
        JSON.stringify({
          issuer: origin,
          ...whole,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        }),
      )
    } else if (pathname === '/register') {
      const client = randomUUID()
      const { redirect_uris } = JSON.parse(text) as { redirect_uris: string[] }
      state.clients.add(client)
      state.redirects.set(client, redirect_uris)
      json(201, JSON.stringify({ ...(JSON.parse(text) as object), client_id: client }))
    } else if (pathname === '/authorize') {
      const client = searchParams.get('client_id') ?? ''
      const redirectUrl = searchParams.get('redirect_uri') ?? ''
      if (!state.clients.has(client) || !state.redirects.get(client)!.includes(redirectUrl)) {
        response.writeHead(400).end('unknown client')
        return
      }
      const code = randomUUID()
      codes.set(code, {
        challenge: searchParams.get('code_challenge') ?? '',
        scope: searchParams.get('scope') ?? '',
        redirectUrl,
        client,
      })
      const back = new URL(redirectUrl)
      back.searchParams.set('state', searchParams.get('state') ?? '')
      if (state.consent === 'code') back.searchParams.set('code', code)
      else back.searchParams.set('error', state.consent)
      if (state.consent === 'nothing') response.writeHead(200).end('a form')
      else response.writeHead(302, { location: back.href }).end()
    } else if (pathname === '/token') {
      const basic = atob(/^Basic (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '')
      const client = form.get('client_id') ?? basic.split(':', 1)[0]!
      const code = codes.get(form.get('code') ?? '')
      codes.delete(form.get('code') ?? '')
      const refresh = form.get('refresh_token') ?? ''
      const proof = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      if (!state.clients.has(client)) json(401, '{"error":"invalid_client"}')
      else if (
        code !== undefined &&
        code.challenge === proof &&
        code.redirectUrl === form.get('redirect_uri') &&
        code.client === client
      ) {
        const key = request.headers['dpop']
        if (key !== undefined) state.proofs.push(String(key))
        json(200, grant(code.scope, key === undefined ? 'Bearer' : 'DPoP'))
      } else if (state.refreshTokens.delete(refresh)) json(200, grant('read'))
      else json(400, '{"error":"invalid_grant"}')
    } else response.writeHead(404).end()
  })
  guarded = Object.assign(state, { url, origin: new URL(url).origin })
  return guarded
}
