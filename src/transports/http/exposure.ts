import { ShelfError } from '../../errors.ts'
import { isLoopback } from './gate.ts'
import type { HttpOptions } from './http-options.ts'

/** @throws ShelfError `invalid-option` for an address that others can reach, unless they are known and nobody can listen */
export function refuseOpen(host: string, { authenticate, tls, behindProxy }: HttpOptions): void {
  if (isLoopback(host)) return
  const shown = JSON.stringify(host)
  if (authenticate === undefined) {
    const message = `host ${shown} can be reached by others, who could read everything: give them tokens (authenticate, --tokens, --jwt-issuer), or listen on 127.0.0.1`
    throw new ShelfError('invalid-option', message, { option: 'host' })
  }
  if (tls !== undefined || behindProxy === true) return
  const message = `host ${shown} can be reached by others, and tokens would cross the network in the open: give a certificate (tls, --tls-cert), or say that a proxy does TLS (behindProxy, --behind-proxy)`
  throw new ShelfError('invalid-option', message, { option: 'tls' })
}
