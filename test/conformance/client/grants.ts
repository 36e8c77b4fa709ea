import {
  auth,
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  DpopSession,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from '@modelcontextprotocol/client'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import assert from 'node:assert/strict'
import { ShelfError } from '../../../src/index.ts'
import { useServer } from './logins.ts'
import type { Drive, Run, Scenarios } from './run.ts'
import { given } from './run.ts'

type Tokens = Awaited<ReturnType<OAuthClientProvider['tokens']>>
type Client = Awaited<ReturnType<OAuthClientProvider['clientInformation']>>

const REDIRECT = 'http://127.0.0.1/callback'

/** A program that keeps what it is granted only while it runs. */
function forgetful(client?: Client): OAuthClientProvider {
  let tokens: Tokens
  let verifier = ''
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
    clientInformation: () => client,
    saveClientInformation(registered) {
      client = registered
    },
    tokens: () => tokens,
    saveTokens(granted) {
      tokens = granted
    },
    saveCodeVerifier(made) {
      verifier = made
    },
    codeVerifier: () => verifier,
    redirectToAuthorization() {
      throw new Error('Nobody is there to log in')
    },
  }
}

/** A workload says by a token of its platform who it is (RFC 7523 section 2.1). */
function workload(run: Run): OAuthClientProvider {
  return {
    ...forgetful({ client_id: given(run, 'client_id') }),
    prepareTokenRequest: (scope) =>
      new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: given(run, 'valid_jwt'),
        ...(scope !== undefined && { scope }),
      }),
  }
}

/** A login whose tokens are bound to a key: it is finished by the program, which connects again then. */
const boundToKey: Drive = async (run) => {
  let page: URL | undefined
  const session = await DpopSession.create()
  const provider: OAuthClientProvider = {
    ...forgetful(),
    redirectUrl: REDIRECT,
    dpop: () => session,
    redirectToAuthorization(url) {
      page = url
    },
  }
  await assert.rejects(useServer(run, provider), (error) => ShelfError.is(error, 'refused'))
  assert.ok(page !== undefined)
  const { headers } = await fetch(page, { redirect: 'manual' })
  const back = new URL(headers.get('location') ?? '').searchParams
  const [authorizationCode, iss] = [back.get('code') ?? '', back.get('iss') ?? undefined]
  await auth(provider, { serverUrl: run.url, authorizationCode, ...(iss !== undefined && { iss }) })
  await useServer(run, provider)
}

/** Scenarios of the authorization extensions: programs that log in without a person, or with more than a token. */
export const grants: Scenarios = {
  'auth/client-credentials-basic': (run) =>
    useServer(
      run,
      new ClientCredentialsProvider({ clientId: given(run, 'client_id'), clientSecret: given(run, 'client_secret') }),
    ),
  'auth/client-credentials-jwt': (run) =>
    useServer(
      run,
      new PrivateKeyJwtProvider({
        clientId: given(run, 'client_id'),
        privateKey: given(run, 'private_key_pem'),
        algorithm: given(run, 'signing_algorithm'),
      }),
    ),
  'auth/enterprise-managed-authorization': (run) =>
    useServer(
      run,
      new CrossAppAccessProvider({
        clientId: given(run, 'client_id'),
        clientSecret: given(run, 'client_secret'),
        async assertion({ authorizationServerUrl, resourceUrl, fetchFn }) {
          const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
            tokenEndpoint: given(run, 'idp_token_endpoint'),
            audience: authorizationServerUrl,
            resource: resourceUrl,
            idToken: given(run, 'idp_id_token'),
            clientId: given(run, 'idp_client_id'),
            fetchFn,
          })
          return jwtAuthGrant
        },
      }),
    ),
  'auth/wif-jwt-bearer': (run) => useServer(run, workload(run)),
  'auth/dpop': boundToKey,
  'auth/dpop-nonce': boundToKey,
}
