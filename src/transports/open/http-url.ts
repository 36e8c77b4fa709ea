import { ShelfError } from '../../errors.ts'

/** Text that says of itself that it is an http(s) URL. */
export const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text)

/**
 * The URL in its normal form.
 *
 * @param whose begins the message
 * @throws ShelfError `invalid-option` for what is no http(s) URL, and for one with a user or password, which `fetch`
 *   refuses with a message that shows them. Nor is the URL in the message: its query may be a secret
 */
export function checkHttpUrl(text: string, whose: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const fault = (what: string): ShelfError => new ShelfError('invalid-option', `${whose} ${what}`, { option: 'server' })
  if (url === undefined || !isHttpUrl(url.href))
    throw fault('has a URL that is not valid: wanted is http:// or https://, a host and a path')
  if (url.username !== '' || url.password !== '') {
    throw fault('has a user or password in its URL: give it as a header instead, Authorization: Basic ...')
  }
  return url.href
}

/** A URL for a person: user, password and what its query says are `***`, except where they are `${...}` variables. */
export function showUrl(text: string): string {
  const [, head = '', query, fragment = ''] = /^([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/.exec(text) ?? []
  const shown = head.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1***@')
  if (query === undefined) return shown + fragment
  const pairs = query
    .slice(1)
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=') + 1
      return pair.slice(0, at) + hideValue(pair.slice(at))
    })
  return `${shown}?${pairs.join('&')}${fragment}`
}

const hideValue = (value: string): string => (/^(?:\$\{[^}]*\})*$/.test(value) ? value : '***')
