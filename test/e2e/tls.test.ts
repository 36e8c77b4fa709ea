import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect as connectPlainly } from 'node:net'
import { connect } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { serveHttp } from '../../src/transports/http/index.ts'
import type { HttpOptions } from '../../src/transports/http/index.ts'
import { certificate, openssl } from './certificate.ts'

/** The fingerprint of the certificate on this port. */
function shown(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256)
      socket.destroy()
    }).on('error', reject)
  })
}

const pems = ({ cert, key }: { readonly cert: string; readonly key: string }) => ({
  cert: readFileSync(cert),
  key: readFileSync(key),
})

async function serve(options: HttpOptions) {
  const server = await serveHttp(createLibrary({ name: 'acme' }), { port: 0, drainMs: 200, ...options })
  onTestFinished(() => server.close())
  return server
}

describe.skipIf(!openssl)('serveHttp() with TLS (needs openssl to make certificates)', () => {
  it('does not wait two minutes for a client that is silent before TLS begins', async () => {
    const { port } = await serve({ tls: pems(certificate()) })
    const socket = connectPlainly(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await expect.poll(() => socket.closed, { timeout: 60_000, interval: 500 }).toBe(true)
  }, 90_000)

  it('uses a renewed certificate within a minute, and keeps the one before where the new one is of no use', async () => {
    const clock = createFakeClock()
    const told: unknown[] = []
    const [first, second] = [certificate(), certificate()]
    let now = pems(first)
    const { port } = await serve({ clock, tls: () => now, onError: (error) => told.push(error) })
    const before = await shown(port)
    clock.advance(60_000)
    expect(await shown(port)).toBe(before)
    now = pems({ cert: first.cert, key: second.key })
    clock.advance(120_000)
    expect(await shown(port)).toBe(before)
    expect(told).toEqual([expect.objectContaining({ code: 'invalid-option', details: { option: 'tls' } })])
    now = pems(second)
    clock.advance(60_000)
    expect(await shown(port)).not.toBe(before)
  })

  it.each([
    ['empty text', { cert: '', key: '' }],
    ['a certificate without a key', { key: '' }],
    ['a key without a certificate', { cert: '' }],
    ['a promise', Promise.resolve()],
  ])('does not take %s for a certificate', async (_what, odd) => {
    const clock = createFakeClock()
    const told: unknown[] = []
    const good = pems(certificate())
    const refusal = { code: 'invalid-option', message: 'The certificate and key cannot be used: one of them is empty' }
    let now = good
    const { port } = await serve({ clock, tls: () => now, onError: (error) => told.push(error) })
    const before = await shown(port)
    now = odd instanceof Promise ? (odd as never) : { ...good, ...(odd as object) }
    clock.advance(60_000)
    expect(await shown(port)).toBe(before)
    expect(told).toEqual([expect.objectContaining(refusal)])
    await expect(serve({ tls: now })).rejects.toMatchObject(refusal)
  })

  it('says on each answer to others that it is https alone', async () => {
    const tls = pems(certificate())
    const authenticate = () => undefined
    const headers = async (host: string, method: string): Promise<unknown> => {
      const { port } = await serve({ host, tls, authenticate })
      return new Promise((resolve, reject) => {
        request({ port, host: '127.0.0.1', path: '/mcp', method, ca: tls.cert }, ({ headers: got, statusCode }) =>
          resolve([statusCode, got['strict-transport-security'], got['cache-control']]),
        )
          .on('error', reject)
          .end()
      })
    }
    expect(await headers('0.0.0.0', 'GET')).toEqual([401, 'max-age=31536000', 'no-store'])
    expect(await headers('0.0.0.0', 'PUT')).toEqual([405, 'max-age=31536000', 'no-store'])
    expect(await headers('127.0.0.1', 'GET')).toEqual([401, undefined, 'no-store'])
  })
})
