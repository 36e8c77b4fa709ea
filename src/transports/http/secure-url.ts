import { ShelfError } from '../../errors.ts'
import { isLoopback } from './gate.ts'

/**
 * An absolute URL whose content nobody on the way can change: https, or http to this machine.
 *
 * @param option named in the error
 * @throws ShelfError `invalid-option`
 */
export function secureUrl(text: string, option: string): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !isSecure(url) || url.username !== '' || url.password !== '' || url.hash !== '') {
    const message = `${option} takes a URL of https, or of http to this machine, without a user and a fragment, got ${JSON.stringify(text)}`
    throw new ShelfError('invalid-option', message, { option })
  }
  return url
}

/** https, or http that does not leave this machine. */
export function isSecure(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url))
}

/** A URL of this machine. */
export function isLocal({ hostname }: URL): boolean {
  return isLoopback(hostname.replace(/^\[|\]$/g, ''))
}
