import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { JWK, JWTHeaderParameters, JWTPayload } from 'jose'
import { endpointThat, JSON_TYPE } from '../faults/hostile-endpoint.ts'

/** The endpoint that tokens are for, unless a test says otherwise. */
export const RESOURCE = 'https://docs.example.com/mcp'

interface Key {
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

/** An authorization server with keys that change; gone with the test. */
export interface Issuer {
  /** Its identifier, and where it is. */
  readonly url: string
  /** Paths that were asked for, in order. */
  readonly asked: string[]
  readonly jwksUri: string
  /** Another document for its metadata. */
  metadata: object
  /** What it answers instead of keys: a status, and a text. */
  down: { readonly status: number; readonly text?: string; readonly headers?: Record<string, string> } | undefined
  /** Keys as they are given out. */
  keys: readonly JWK[]
  /** Claims of tokens that are asked for at its token endpoint. */
  claims: JWTPayload
  /** A further key, under which it signs from now on. */
  rotate(kid: string): Promise<void>
  /** A token of it, as wanted. */
  sign(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>
}

async function makeKey(kid: string, alg: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

export const seconds = (from = 0): number => Math.floor(Date.now() / 1_000) + from

export async function openIssuer(algorithm = 'ES256'): Promise<Issuer> {
  let key = await makeKey('first', algorithm)
  let issuer!: Issuer
  const { url } = await endpointThat(({ request, response, text }) => {
    const path = request.url ?? ''
    issuer.asked.push(path)
    const json = (body: object): void => void response.writeHead(200, JSON_TYPE).end(JSON.stringify(body))
    if (path === '/.well-known/oauth-authorization-server') json(issuer.metadata)
    else if (path === '/token') {
      const form = new URLSearchParams(text)
      const scope = form.get('scope') ?? ''
      void issuer
        .sign({ aud: form.get('resource') ?? 'nobody', scope, ...issuer.claims })
        .then((token) => json({ access_token: token, token_type: 'Bearer', expires_in: 300, scope }))
    } else if (path !== '/keys') response.writeHead(404).end()
    else if (issuer.down === undefined) json({ keys: issuer.keys })
    else response.writeHead(issuer.down.status, { ...JSON_TYPE, ...issuer.down.headers }).end(issuer.down.text)
  })
  const { origin } = new URL(url)
  issuer = {
    url: origin,
    asked: [],
    jwksUri: `${origin}/keys`,
    metadata: {
      issuer: origin,
      jwks_uri: `${origin}/keys`,
      token_endpoint: `${origin}/token`,
      authorization_endpoint: `${origin}/authorize`,
      response_types_supported: ['code'],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    },
    down: undefined,
    keys: [key.jwk],
    claims: {},
    async rotate(kid) {
      key = await makeKey(kid, algorithm)
      issuer.keys = [key.jwk]
    },
    sign: (claims = {}, header = {}) =>
      new SignJWT({
        iss: origin,
        aud: RESOURCE,
        sub: 'alice',
        client_id: 'app',
        scope: 'read',
        exp: seconds(300),
        ...claims,
      })
        .setProtectedHeader({ alg: algorithm, kid: key.jwk.kid!, typ: 'at+jwt', ...header })
        .sign(key.privateKey, { crit: { x: true } }),
  }
  return issuer
}
