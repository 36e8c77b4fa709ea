import { access, createLibrary } from 'shelfmark'
import { jwtTokens, serveHttp } from 'shelfmark/transports/http'

/** The handbook for everybody whom the company's login knows, accounts for its accountants. */
export function companyDocs(issuer: string, url: string, port: number) {
  const policy = access({
    rules: [
      { name: 'accountants', allow: 'accounts://', who: { claims: { groups: 'accounting' } } },
      { name: 'handbook', allow: 'handbook://' },
    ],
  })
  const library = createLibrary({ name: 'company-docs' })
    .use(policy)
    .resource('handbook://holidays', () => 'Thirty days')
    .resource('accounts://2026', () => 'In the black')
  return serveHttp(library, {
    port,
    behindProxy: true,
    authenticate: jwtTokens({ issuer, audience: url }),
    requiredScopes: ['docs:read'],
    resource: { url, authorizationServers: [issuer] },
  })
}
