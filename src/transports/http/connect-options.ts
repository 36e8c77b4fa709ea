import type { AuthProvider, OAuthClientProvider } from '@modelcontextprotocol/client'
import { ShelfError } from '../../errors.ts'

export interface HttpConnectOptions {
  /** Sent with every request to the server, and to nobody else. */
  readonly headers?: { readonly [name: string]: string }
  /** A bearer token, sent as the header `Authorization`. */
  readonly token?: string
  /**
   * Gets tokens when the server wants them: one of the official client's providers, or `loginInBrowser()`. One flow runs
   * at a time, whatever the number of requests that wait for it.
   */
  readonly authProvider?: AuthProvider | OAuthClientProvider
  /** The longest answer as JSON, and the longest event of a stream, in bytes. Default 32 MiB. */
  readonly maxFrame?: number
  /** How long a server may take to begin an answer, in milliseconds. Default 2 minutes. */
  readonly headMs?: number
  /** Takes the place of the global `fetch`. */
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>
}

/** @throws ShelfError `invalid-option` for what is no URL of HTTP, or carries a name and password */
export function endpointUrl(text: string | URL): URL {
  if (!URL.canParse(String(text))) throw invalid('url', 'Not a URL: an address such as https://example.com/mcp is wanted')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalid('url', `An http or https URL is wanted, not ${url.protocol}`)
  }
  if (url.username !== '' || url.password !== '') {
    const hint = 'send them as a header instead, for example --header "Authorization: Basic ..."'
    throw invalid('url', `A name and password in a URL end up in logs: ${hint}`)
  }
  url.hash = ''
  return url
}

/**
 * The headers of every request to the server.
 *
 * @throws ShelfError `invalid-option`, without the value, for what is no header
 */
export function endpointHeaders({ headers = {}, token }: HttpConnectOptions): Headers {
  const all = new Headers()
  for (const [name, value] of Object.entries(headers)) set(all, name, value, 'headers')
  if (token !== undefined) set(all, 'authorization', `Bearer ${token}`, 'token')
  return all
}

function set(headers: Headers, name: string, value: string, option: string): void {
  try {
    headers.set(name, value)
  } catch {
    // The reason that it gives has the value in it.
    throw invalid(option, `The header ${JSON.stringify(name)} has a name or value that no header can have`)
  }
}

function invalid(option: string, message: string): ShelfError<'invalid-option'> {
  return new ShelfError('invalid-option', message, { option })
}
