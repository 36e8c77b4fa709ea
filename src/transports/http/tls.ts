import { createServer } from 'node:http'
import type { Server, ServerOptions } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import { ShelfError } from '../../errors.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Reporter } from './reporter.ts'

/** A certificate and its key, as PEM. */
export interface Certificate {
  readonly cert: string | Buffer
  readonly key: string | Buffer
}

/** How often a certificate is asked for again, in milliseconds. */
const RENEW_MS = 60_000

const OLDEST = { minVersion: 'TLSv1.2' } as const

/** A server, with TLS or without, that does not listen yet. */
export interface WebServer {
  readonly server: Server
  /** Uses a certificate that is renewed while the server runs; until the returned function is called. */
  readonly renew: (clock: Clock, report: Reporter) => () => void
}

/** @throws ShelfError `invalid-option` for a certificate or key that is none, or that do not belong together */
export async function createWebServer(
  tls: Certificate | (() => Certificate) | undefined,
  options: ServerOptions,
): Promise<WebServer> {
  if (tls === undefined) return { server: createServer(options), renew: () => () => undefined }
  const first = typeof tls === 'function' ? tls() : tls
  const { createServer: createSecureServer } = await import('node:https')
  let server: SecureServer
  try {
    server = createSecureServer({ ...options, ...whole(first), ...OLDEST, handshakeTimeout: options.headersTimeout })
  } catch (error) {
    throw unusable(error)
  }
  const renew: WebServer['renew'] = (clock, report) =>
    typeof tls === 'function' ? keepRenewing(server, first, tls, { clock, report }) : () => undefined
  return { server, renew }
}

interface Renewal {
  readonly clock: Clock
  readonly report: Reporter
}

/** What cannot be used is told once, and the certificate of before stays. */
function keepRenewing(server: SecureServer, first: Certificate, next: () => Certificate, { clock, report }: Renewal): () => void {
  let used = first
  let told = ''
  let stop: () => void
  const look = (): void => {
    try {
      const now = next()
      if (!isSame(now, used)) use(server, now)
      used = now
      told = ''
    } catch (error) {
      const { message } = ShelfError.from(error)
      if (message !== told) report(error, 'renewing the certificate')
      told = message
    }
    wait()
  }
  const wait = (): void => {
    stop = clock.after(RENEW_MS, look)
  }
  wait()
  return () => stop()
}

function use(server: SecureServer, certificate: Certificate): void {
  try {
    server.setSecureContext({ ...whole(certificate), ...OLDEST })
  } catch (error) {
    throw unusable(error)
  }
}

/** Node takes empty text for no certificate, with which nobody can connect; a file that is just being written has that. */
function whole(certificate: Certificate): Certificate {
  const { cert, key } = certificate
  if (!(cert?.length > 0 && key?.length > 0)) throw new Error('one of them is empty')
  return certificate
}

function isSame(one: Certificate, other: Certificate): boolean {
  return String(one.cert) === String(other.cert) && String(one.key) === String(other.key)
}

function unusable(error: unknown): ShelfError<'invalid-option'> {
  const why = error instanceof Error ? error.message : String(error)
  return new ShelfError('invalid-option', `The certificate and key cannot be used: ${why}`, { option: 'tls' }, { cause: error })
}
