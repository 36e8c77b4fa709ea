import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { createFetchHandler } from '../../src/transports/http/index.ts'
import type { FetchOptions } from '../../src/transports/http/index.ts'
import { importsOf } from '../imports.ts'
import { BOTH, handle, INITIALIZE, post } from './http.ts'

/** The status of a request with this URL and these headers, as a web server would hand it on. */
async function status(url: string, headers: Record<string, string> = {}, options: FetchOptions = {}): Promise<number> {
  const { fetch } = await handle(options)
  const request = new Request(url, { method: 'POST', headers: { ...BOTH, ...headers }, body: JSON.stringify(INITIALIZE) })
  return (await fetch(request)).status
}

describe('the door of createFetchHandler()', () => {
  it.each(['http://localhost/mcp', 'http://LOCALHOST:8000/mcp', 'http://127.0.0.1:7467/mcp', 'https://[::1]:8443/mcp'])(
    'takes %s without being told of it',
    async (url) => {
      expect(await status(url)).toBe(200)
    },
  )

  it.each([
    'http://evil.example/mcp',
    'http://localhost.evil.com:8000/mcp',
    'http://localhost./mcp',
    'http://127.0.0.2:8000/mcp',
    'http://0.0.0.0:8000/mcp',
    'http://192.168.1.5/mcp',
    'http://[::]/mcp',
  ])('refuses %s', async (url) => {
    expect(await status(url)).toBe(403)
  })

  it.each([
    'evil.example',
    'evil.example:8000',
    'localhost.evil.com',
    'evil@localhost',
    '127.0.0.1:8000@evil',
    'localhost:x',
    'localhost:8000, evil.example',
    'localhost:8000/x',
    '',
  ])('refuses Host %j, whatever the URL says', async (host) => {
    expect(await status('http://localhost:8000/mcp', { host })).toBe(403)
  })

  it('refuses a URL with a user in it, which some servers make of Host', async () => {
    const { fetch } = await handle()
    const request = new Request('http://localhost/mcp', { method: 'POST', headers: BOTH, body: JSON.stringify(INITIALIZE) })
    const forged = Object.defineProperty(request, 'url', { value: 'http://evil@localhost/mcp' })
    expect((await fetch(forged)).status).toBe(403)
  })

  it('says which option names a further host or origin', async () => {
    const { fetch } = await handle()
    const ask = async (url: string, headers: Record<string, string>) => {
      const response = await fetch(new Request(url, { headers }))
      return [response.status, await response.json()]
    }
    expect(await ask('http://app.example/mcp', {})).toEqual([
      403,
      {
        jsonrpc: '2.0',
        error: { code: -32600, message: 'Host "app.example" is not served here: to allow it, list it in allowedHosts' },
      },
    ])
    expect(await ask('http://localhost/mcp', { origin: 'http://app.example' })).toEqual([
      403,
      {
        jsonrpc: '2.0',
        error: {
          code: -32600,
          message: 'Origin "http://app.example" is not served here: to allow it, list it in allowedOrigins',
        },
      },
    ])
  })

  it('takes a host that is allowed, exactly, in the URL and in Host', async () => {
    const options = { allowedHosts: ['App.example', 'app.example:8443'] }
    expect(await status('https://app.example/mcp', {}, options)).toBe(200)
    expect(await status('https://app.example:8443/mcp', { host: 'app.example:8443' }, options)).toBe(200)
    expect(await status('http://localhost:3000/mcp', { host: 'app.example' }, options)).toBe(200)
    for (const host of ['app.example:1', 'app.example.', 'www.app.example'])
      expect([host, await status(`https://${host}/mcp`, {}, options)]).toEqual([host, 403])
  })

  it.each([
    ['http://localhost:8000/mcp', 'http://localhost:8000', 200],
    ['http://localhost:8000/mcp', 'http://127.0.0.1:8000', 200],
    ['http://localhost:8000/mcp', 'https://localhost:8000', 200],
    ['http://localhost/mcp', 'http://localhost', 200],
    ['https://localhost:8443/mcp', 'https://localhost:8443', 200],
    ['https://localhost:8443/mcp', 'http://localhost:8443', 403],
    ['http://localhost:8000/mcp', 'http://localhost:3000', 403],
    ['http://localhost:8000/mcp', 'http://localhost', 403],
    ['http://localhost:8000/mcp', 'http://localhost.evil:8000', 403],
    ['http://localhost:8000/mcp', 'https://evil.example', 403],
    ['http://localhost:8000/mcp', 'null', 403],
    ['http://localhost:8000/mcp', '', 403],
    ['http://localhost:8000/mcp', 'http://localhost:8000, http://localhost:8000', 403],
  ])('answers %s from a page of %j with %i', async (url, origin, expected) => {
    expect(await status(url, { origin })).toBe(expected)
  })

  it.each([
    ['https://app.example/mcp', 'https://app.example', 200],
    ['http://app.example/mcp', 'https://app.example', 200],
    ['https://app.example/mcp', 'http://app.example', 403],
    ['https://app.example/mcp', 'https://app.example:1', 403],
    ['https://app.example/mcp', 'https://localhost', 403],
    ['http://app.example:8000/mcp', 'http://localhost:8000', 403],
    ['https://app.example/mcp', 'https://other.example', 200],
    ['http://localhost:8000/mcp', 'vscode-webview://abc', 200],
  ])('answers %s from a page of %j with %i where hosts and origins are allowed', async (url, origin, expected) => {
    const options = {
      allowedHosts: ['app.example', 'app.example:8000'],
      allowedOrigins: ['https://other.example', 'vscode-webview://ABC'],
    }
    expect(await status(url, { origin }, options)).toBe(expected)
  })

  it.each<FetchOptions>([
    { allowedHosts: ['*'] },
    { allowedHosts: ['https://app.example'] },
    { allowedHosts: ['*.app.example'] },
    { allowedHosts: [''] },
    { allowedOrigins: ['*'] },
    { allowedOrigins: ['app.example'] },
    { allowedOrigins: ['https://app.example/'] },
  ])('is not made with %j, which no request has', (options) => {
    expect(() => createFetchHandler(createLibrary({ name: 'acme' }), options)).toThrow(
      expect.objectContaining({ code: 'invalid-option', details: { option: Object.keys(options)[0] } }),
    )
  })

  it('is at any path unless it is told one', async () => {
    const { fetch } = createFetchHandler(createLibrary({ name: 'acme' }))
    expect((await fetch(new Request('http://localhost/a/b?c', { method: 'PUT' }))).status).toBe(405)
    expect(await status('http://localhost/mcp?x=1')).toBe(200)
    expect(await status('http://localhost/%6dcp')).toBe(404)
  })

  it('gives nothing to other pages, on no answer', async () => {
    const server = await handle()
    for (const method of ['OPTIONS', 'GET', 'POST']) {
      const response = await server.ask({ method, headers: { origin: 'https://evil.example' } })
      const { headers } = response
      expect([response.status, headers.get('access-control-allow-origin'), headers.get('cache-control')]).toEqual([
        403,
        null,
        'no-store',
      ])
    }
    expect((await post(server, INITIALIZE)).headers.get('cache-control')).toBe('no-store')
  })
})

describe('createFetchHandler()', () => {
  it('needs no more of Node than the runtimes beside it offer', () => {
    const src = new URL('../../src/', import.meta.url)
    const wanted = new Set<string>()
    const seen = new Set<string>()
    const visit = (path: string): void => {
      if (seen.has(path)) return
      seen.add(path)
      for (const { specifier, kind } of importsOf(path, readFileSync(new URL(path, src), 'utf8'))) {
        if (kind === 'type') continue
        if (specifier.startsWith('.')) visit(posix.join(posix.dirname(path), specifier))
        else wanted.add(specifier)
      }
    }
    visit('transports/http/fetch-handler.ts')
    expect([...wanted].toSorted()).toEqual(['node:crypto', 'node:timers'])
  })
})
