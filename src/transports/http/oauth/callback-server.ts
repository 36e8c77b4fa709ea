import { randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ShelfError } from '../../../errors.ts'

const PATH = '/callback'
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
}

/** Where the browser is sent back to after a login: an address of this machine, for one login (RFC 8252 section 7.3). */
export interface CallbackServer {
  readonly url: string
  /** What the authorization server must send back; nobody else knows it. */
  readonly state: string
  /** What it sent back. Rejects when the time is over, and when the server is closed before. */
  callback(limitMs: number): Promise<URLSearchParams>
  close(): Promise<void>
}

/**
 * @param port the one to have if it is free; else, and without it, any that is
 * @param only no other than that one
 * @throws ShelfError `unavailable` when that one is taken
 */
export async function openCallbackServer(port: number | undefined, only = false): Promise<CallbackServer> {
  const state = randomBytes(32).toString('base64url')
  let deliver!: (params: URLSearchParams) => void
  let fail!: (error: ShelfError) => void
  const delivered = new Promise<URLSearchParams>((resolve, reject) => {
    deliver = resolve
    fail = reject
  })
  delivered.catch(() => undefined)
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (request.method !== 'GET' || pathname !== PATH) {
      say(response, 404, 'Nothing is here.')
      return
    }
    if (!same(searchParams.get('state') ?? '', state)) {
      say(response, 400, 'This is not the login that was begun. Begin again.')
      return
    }
    const done = searchParams.has('code')
    say(response, 200, done ? 'You are logged in. This page can be closed.' : 'The login failed. This page can be closed.')
    deliver(searchParams)
  }
  const server = createServer(answer)
  await listen(server, port ?? 0).catch((error: unknown) => {
    if (!only) return listen(server, 0)
    throw new ShelfError('unavailable', `Port ${port}, where the browser comes back to, is taken`, {}, { cause: error })
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    state,
    callback(limitMs) {
      const timer = setTimeout(() => {
        const text = `Nobody has logged in within ${Math.round(limitMs / 1_000)} s`
        fail(new ShelfError('timeout', text, { afterMs: limitMs }))
      }, limitMs)
      return delivered.finally(() => clearTimeout(timer))
    },
    close() {
      fail(new ShelfError('cancelled', 'The login was given up', {}))
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      })
    },
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, HEADERS).end(`<!doctype html><title>Shelfmark</title><p>${text}</p>`)
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
