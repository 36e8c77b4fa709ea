import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ShelfError } from '../../../src/index.ts'
import { connectHttp, loginInBrowser } from '../../../src/transports/http/index.ts'
import type { HttpConnectOptions, LoginOptions } from '../../../src/transports/http/index.ts'
import type { Drive, Run, Scenarios } from './run.ts'
import { given } from './run.ts'
import { Session } from './session.ts'

/** Asks for the one tool of these servers, and calls it: that may need a further permission. */
export async function useServer(run: Run, authProvider: NonNullable<HttpConnectOptions['authProvider']>): Promise<void> {
  await using session = new Session(run, () => connectHttp(run.url, { authProvider }))
  assert.deepEqual(
    (await session.tools()).map(({ name }) => name),
    ['test-tool'],
  )
  await session.call('test-tool')
}

/** A browser goes where it is sent, on the way back to us too. */
const browse = (page: URL): void => void fetch(page)

async function logIn(run: Run, options: Partial<LoginOptions> = {}): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'shelfmark-conformance-client-'))
  try {
    await useServer(
      run,
      loginInBrowser({ url: run.url, folder, limitMs: 10_000, show: () => undefined, open: browse, ...options }),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const login: Drive = (run) => logIn(run)

/** A login that has to fail. */
const refused: Drive = async (run) => {
  await assert.rejects(logIn(run), (error) => ShelfError.is(error, 'refused'))
}

/** Scenarios in which a person logs in. */
export const logins: Scenarios = {
  'auth/metadata-default': login,
  'auth/metadata-var1': login,
  'auth/metadata-var2': login,
  'auth/metadata-var3': login,
  'auth/basic-cimd': (run) => logIn(run, { clientId: 'https://conformance-test.local/client-metadata.json' }),
  'auth/scope-from-www-authenticate': login,
  'auth/scope-from-scopes-supported': login,
  'auth/scope-omitted-when-undefined': login,
  'auth/scope-step-up': login,
  'auth/scope-retry-limit': refused,
  'auth/token-endpoint-auth-basic': login,
  'auth/token-endpoint-auth-post': login,
  'auth/token-endpoint-auth-none': login,
  'auth/pre-registration': (run) => logIn(run, { clientId: given(run, 'client_id'), clientSecret: given(run, 'client_secret') }),
  'auth/2025-03-26-oauth-metadata-backcompat': login,
  'auth/2025-03-26-oauth-endpoint-fallback': login,
  'auth/resource-mismatch': refused,
  'auth/offline-access-scope': login,
  'auth/offline-access-not-supported': login,
  'auth/authorization-server-migration': login,
  'auth/iss-supported': login,
  'auth/iss-not-advertised': login,
  'auth/iss-supported-missing': refused,
  'auth/iss-wrong-issuer': refused,
  'auth/iss-unexpected': refused,
  'auth/iss-normalized': refused,
  'auth/metadata-issuer-mismatch': refused,
}
