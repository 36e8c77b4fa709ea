import { join } from 'node:path'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { ShelfError } from '../../../errors.ts'
import { printable, writeStderr } from '../../../runtime/index.ts'
import type { LoginProvider } from '../authorization.ts'
import { endpointUrl } from '../connect-options.ts'
import { LOOPBACK } from '../gate.ts'
import { openCallbackServer } from './callback-server.ts'
import type { CallbackServer } from './callback-server.ts'
import { configFolder } from './config-folder.ts'
import { CredentialFile } from './credential-file.ts'
import type { Client, Credentials, Tokens } from './credential-file.ts'
import { openBrowser } from './open-browser.ts'

type Discovery = NonNullable<Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>>

const LIMIT_MS = 5 * 60_000

export interface LoginOptions {
  /** The server that is logged in to, as it is given to `connectHttp`. */
  readonly url: string | URL
  /** What people read of this program when they log in. Default `Shelfmark`. */
  readonly clientName?: string
  /** For servers where programs are registered by hand. Default: the program registers itself. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** The authorization server that `clientId` is registered with; no other gets the secret. Default: the one that the server names. */
  readonly issuer?: string
  /** The port that the browser comes back to, where it is registered. Default: any that is free. */
  readonly port?: number
  readonly scope?: string
  /** Where credentials are kept. Default `credentials` in the configuration folder of the user. */
  readonly folder?: string
  /** How long a person may take, in milliseconds. Default 5 minutes. */
  readonly limitMs?: number
  /** Shows a person the page to log in on. Default: its address on standard error. */
  readonly show?: (url: URL) => void
  /** Opens that page. Default: the browser of the user. False where there is none. */
  readonly open?: ((url: URL) => void) | false
}

/**
 * A login of a person in the browser, for `authProvider` of `connectHttp` (basic/authorization). What is granted is kept
 * in a file that only the user may read, and used until it is withdrawn.
 *
 * @throws ShelfError `invalid-option` for a URL that cannot be connected to
 */
export function loginInBrowser(options: LoginOptions): LoginProvider {
  const { origin } = endpointUrl(options.url)
  return new BrowserLogin(origin, options)
}

class BrowserLogin implements LoginProvider {
  readonly #server: string
  readonly #options: LoginOptions
  readonly #file: CredentialFile
  #callback: CallbackServer | undefined
  #verifier = ''
  #discovered: Discovery | undefined
  #issuer = ''
  /** What was last asked for: what is withdrawn then is this, and not what another process got since. */
  #refreshToken: string | undefined

  constructor(server: string, options: LoginOptions) {
    this.#server = server
    this.#options = options
    this.#file = new CredentialFile(options.folder ?? join(configFolder(), 'credentials'), server)
  }

  async openLogin() {
    const known = Object.values(await this.#file.read()).find(({ redirectUrl }) => redirectUrl !== undefined)
    const port = this.#options.port ?? (known?.redirectUrl === undefined ? undefined : Number(new URL(known.redirectUrl).port))
    const callback = await openCallbackServer(port, this.#options.port !== undefined)
    this.#callback = callback
    this.#discovered = undefined
    return { callback: () => callback.callback(this.#options.limitMs ?? LIMIT_MS), close: () => callback.close() }
  }

  get redirectUrl(): string {
    // Without one the official flow takes this for a program that logs in by itself.
    return this.#callback?.url ?? 'http://127.0.0.1/callback'
  }

  get clientMetadata() {
    const { clientName = 'Shelfmark', clientSecret, scope } = this.#options
    return {
      client_name: clientName,
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_post',
      ...(scope !== undefined && { scope }),
    }
  }

  state(): string {
    return this.#callback?.state ?? ''
  }

  async clientInformation(context?: { readonly issuer: string }): Promise<Client | undefined> {
    this.#issuer = context?.issuer ?? this.#issuer
    const known = this.#knownClient(context)
    if (known !== undefined) return known
    const kept = await this.#kept(context)
    // Who was registered for another port can refresh, and cannot log in again.
    return kept?.redirectUrl === this.redirectUrl || kept?.tokens?.refresh_token !== undefined ? kept?.client : undefined
  }

  /** One that was registered by hand, with whom it is given to. */
  #knownClient(context: { readonly issuer: string } | undefined): Client | undefined {
    const { clientId, clientSecret, issuer } = this.#options
    if (clientId === undefined) return undefined
    if (context === undefined) return { client_id: clientId }
    if (issuer !== undefined && !sameIssuer(issuer, context.issuer)) {
      const text = `${this.#server} wants a login at ${printable(context.issuer)}; this program is known at ${issuer} alone`
      throw new ShelfError('refused', text, {})
    }
    return {
      client_id: clientId,
      issuer: context.issuer,
      ...(clientSecret !== undefined && { client_secret: clientSecret }),
    }
  }

  async saveClientInformation(client: Client, context?: { readonly issuer: string }): Promise<void> {
    if (this.#options.clientId !== undefined) return
    const { redirectUrl } = this
    await this.#change(context, (kept) => ({ ...kept, client, redirectUrl }))
  }

  async tokens(context?: { readonly issuer: string }): Promise<Tokens | undefined> {
    const tokens = (await this.#kept(context))?.tokens
    if (context !== undefined) this.#refreshToken = tokens?.refresh_token
    return tokens
  }

  async saveTokens(tokens: Tokens, context?: { readonly issuer: string }): Promise<void> {
    await this.#change(context, (kept) => ({ ...kept, tokens }))
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }

  saveDiscoveryState(state: Discovery): void {
    this.#discovered = state
  }

  discoveryState(): Discovery | undefined {
    return this.#discovered
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'all') await this.#file.remove()
    if (scope === 'all' || scope === 'discovery') this.#discovered = undefined
    if (scope !== 'client' && scope !== 'tokens') return
    await this.#file.change(this.#issuer, ({ client, redirectUrl, tokens }) => {
      if (scope === 'client') return { tokens }
      return { client, redirectUrl, tokens: tokens?.refresh_token === this.#refreshToken ? undefined : tokens }
    })
  }

  redirectToAuthorization(url: URL): void {
    // The address comes from the server, and is given to a program of the system.
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.includes(url.hostname))) {
      throw new ShelfError('refused', `${this.#server} wants a login at ${printable(url.origin)}, which is no https address`, {})
    }
    const { show = (page) => this.#show(page), open = openBrowser } = this.#options
    show(url)
    if (open !== false) open(url)
  }

  #show(url: URL): void {
    writeStderr(`shelfmark: log in to ${this.#server} on this page of ${url.host}:\n  ${printable(url.href)}\n`)
  }

  /** Of one issuer, or the latest of all. */
  async #kept(context?: { readonly issuer: string }): Promise<Credentials | undefined> {
    const issuers = await this.#file.read()
    if (context !== undefined) return Object.hasOwn(issuers, context.issuer) ? issuers[context.issuer] : undefined
    const withTokens = Object.values(issuers).filter(({ tokens }) => tokens !== undefined)
    return withTokens.toSorted((one, other) => other.savedAt - one.savedAt)[0]
  }

  async #change(
    context: { readonly issuer: string } | undefined,
    change: (kept: Credentials) => Omit<Credentials, 'savedAt'>,
  ): Promise<void> {
    if (context === undefined) throw new ShelfError('internal', 'Credentials of no authorization server', {})
    await this.#file.change(context.issuer, change)
  }
}

/** One slash at the end makes no other issuer. */
function sameIssuer(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '')
}
