import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DpopSession } from '@modelcontextprotocol/client'
import type { AuthProvider } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connectHttp, loginInBrowser } from '../../src/transports/http/index.ts'
import type { LoginOptions } from '../../src/transports/http/index.ts'
import { talk } from '../talk.ts'
import { openGuarded } from './authorization-server.ts'
import type { Guarded } from './authorization-server.ts'
import { folderOfTest, freePort } from './command-line.ts'

/** A browser: it goes where it is sent, on the way back to us too. */
const browse =
  (pages: string[] = []) =>
  (url: URL): void => {
    void fetch(url).then(async (response) => pages.push(await response.text()))
  }

interface LoggedIn {
  readonly shown: URL[]
  readonly pages: string[]
  readonly options: LoginOptions
}

function loginTo(guarded: Guarded, folder: string, more: Partial<LoginOptions> = {}): LoggedIn {
  const shown: URL[] = []
  const pages: string[] = []
  return { shown, pages, options: { url: guarded.url, folder, show: (url) => shown.push(url), open: browse(pages), ...more } }
}

async function connectWith({ options }: LoggedIn, headers?: Record<string, string>) {
  return talk(connectHttp(options.url, { authProvider: loginInBrowser(options), ...(headers && { headers }) }))
}

const files = (folder: string) => readdirSync(folder).map((name) => join(folder, name))

describe('loginInBrowser()', () => {
  it('loginInBrowser() logs a person in, keeps what was granted, and asks nobody again', async () => {
    const guarded = await openGuarded()
    const folder = join(folderOfTest(), 'deep', 'er')
    const first = loginTo(guarded, folder)
    const opened = await connectWith(first, { 'x-api-key': 'for the server alone' })
    const waits: Promise<void>[] = []
    Object.assign(opened.wire, { onwait: (over: Promise<void>) => waits.push(over) })
    expect((await opened.ask('ping')).result).toEqual({})
    expect(first.shown.map(({ pathname }) => pathname)).toEqual(['/authorize'])
    await expect.poll(() => first.pages).toEqual([expect.stringContaining('You are logged in')])
    expect(waits).toHaveLength(1)
    await waits[0]
    expect(guarded.seen.some((headers) => 'x-api-key' in headers)).toBe(false)

    const [file] = files(folder)
    expect(files(folder)).toHaveLength(1)
    expect(file).toMatch(/\/127\.0\.0\.1-[0-9a-f]{16}\.json$/)
    if (process.platform !== 'win32') {
      expect((statSync(file!).mode & 0o777).toString(8)).toBe('600')
      expect((statSync(folder).mode & 0o777).toString(8)).toBe('700')
    }

    const again = loginTo(guarded, folder)
    expect((await (await connectWith(again)).ask('ping')).result).toEqual({})
    expect(again.shown).toEqual([])
    expect(guarded.clients.size).toBe(1)
  })

  it('loginInBrowser() refreshes once, however many requests wait for it', async () => {
    const guarded = await openGuarded()
    const login = loginTo(guarded, folderOfTest())
    const opened = await connectWith(login)
    await opened.ask('ping')
    guarded.tokens.clear()
    const answers = await Promise.all(Array.from({ length: 20 }, () => opened.ask('ping')))
    expect(answers.every(({ result }) => result !== undefined)).toBe(true)
    expect(guarded.asked.filter((asked) => asked === 'POST /token refresh_token')).toHaveLength(1)
    expect(login.shown).toHaveLength(1)
  })

  it('loginInBrowser() asks once for many requests, and again when all is withdrawn, as the client it was', async () => {
    const guarded = await openGuarded()
    const login = loginTo(guarded, folderOfTest())
    const opened = await connectWith(login)
    await Promise.all(Array.from({ length: 10 }, () => opened.ask('ping')))
    expect(login.shown).toHaveLength(1)
    guarded.tokens.clear()
    guarded.refreshTokens.clear()
    await opened.ask('ping')
    expect(login.shown).toHaveLength(2)
    expect(guarded.clients.size).toBe(1)
    guarded.tokens.clear()
    guarded.refreshTokens.clear()
    guarded.clients.clear()
    await opened.ask('ping')
    expect(login.shown).toHaveLength(3)
    expect(guarded.clients.size).toBe(1)
  })

  it('loginInBrowser() registers anew when the port of before is taken', async () => {
    const guarded = await openGuarded()
    const folder = folderOfTest()
    await (await connectWith(loginTo(guarded, folder))).ask('ping')
    const { issuers } = JSON.parse(readFileSync(files(folder)[0]!, 'utf8')) as {
      issuers: Record<string, { redirectUrl: string }>
    }
    const port = Number(new URL(issuers[guarded.origin]!.redirectUrl).port)
    const taken = createServer()
    await new Promise<void>((resolve) => {
      taken.listen(port, '127.0.0.1', resolve)
    })
    onTestFinished(() => void taken.close())
    guarded.tokens.clear()
    guarded.refreshTokens.clear()
    expect((await (await connectWith(loginTo(guarded, folder))).ask('ping')).result).toEqual({})
    expect(guarded.clients.size).toBe(2)
    const exact = await connectWith(loginTo(guarded, folder, { port, clientId: 'mine' }))
    guarded.tokens.clear()
    await expect(exact.ask('ping')).rejects.toMatchObject({ message: `Port ${port}, where the browser comes back to, is taken` })
  })

  it('loginInBrowser() gets a token that may do more when one is needed', async () => {
    const guarded = await openGuarded()
    const login = loginTo(guarded, folderOfTest())
    const opened = await connectWith(login)
    await opened.ask('ping')
    guarded.scope = 'read write'
    expect((await opened.ask('ping')).result).toEqual({})
    expect(login.shown.map(({ searchParams }) => searchParams.get('scope'))).toEqual(['read', 'read write'])
  })

  it('loginInBrowser() says that access was denied', async () => {
    const guarded = await openGuarded()
    guarded.consent = 'access_denied'
    const opened = await connectWith(loginTo(guarded, folderOfTest()))
    await expect(opened.ask('ping')).rejects.toMatchObject({ code: 'refused', message: 'The login failed: access was denied' })
  })

  it('loginInBrowser() waits so long for a person, and no longer than the connection or the request', async () => {
    const guarded = await openGuarded()
    guarded.consent = 'nothing'
    const limited = await connectWith(loginTo(guarded, folderOfTest(), { limitMs: 200 }))
    await expect(limited.ask('ping')).rejects.toMatchObject({ code: 'timeout', details: { afterMs: 200 } })
    const closed = await connectWith(loginTo(guarded, folderOfTest(), { open: () => void closed.wire.close() }))
    await expect(closed.ask('ping')).rejects.toMatchObject({ code: 'unavailable' })
    const given = new AbortController()
    const left = await connectWith(loginTo(guarded, folderOfTest(), { open: () => given.abort() }))
    await expect(left.ask('ping', {}, { requestSignal: given.signal })).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('loginInBrowser() takes no answer to another login', async () => {
    const guarded = await openGuarded()
    const statuses: number[] = []
    const login = loginTo(guarded, folderOfTest(), {
      open: (url) => {
        const back = url.searchParams.get('redirect_uri')!
        void (async () => {
          for (const query of ['?code=stolen&state=guessed', '?code=stolen', '/../x'])
            statuses.push((await fetch(back + query)).status)
          statuses.push((await fetch(back, { method: 'POST' })).status)
          browse()(url)
        })()
      },
    })
    expect((await (await connectWith(login)).ask('ping')).result).toEqual({})
    expect(statuses).toEqual([400, 400, 404, 404])
  })

  it('loginInBrowser() does not believe what another server says of this one', async () => {
    const guarded = await openGuarded()
    const other = await openGuarded()
    guarded.resourceMetadata = `${other.origin}/.well-known/oauth-protected-resource`
    await (await connectWith(loginTo(guarded, folderOfTest()))).ask('ping')
    expect(other.asked).toEqual([])
  })

  it('loginInBrowser() opens no page that is not of a web server', async () => {
    const guarded = await openGuarded()
    const provider = loginInBrowser({ ...loginTo(guarded, folderOfTest()).options })
    for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'http://example.com/authorize']) {
      expect(() => provider.redirectToAuthorization(new URL(url))).toThrow(expect.objectContaining({ code: 'refused' }))
    }
  })

  it('loginInBrowser() gives what was registered by hand to that authorization server, and to no other', async () => {
    const guarded = await openGuarded()
    guarded.clients.add('mine')
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    onTestFinished(() => warned.mockRestore())
    const known = { clientId: 'mine', clientSecret: 'for one alone', port: await freePort() }
    guarded.redirects.set('mine', [`http://127.0.0.1:${known.port}/callback`])
    const elsewhere = loginTo(guarded, folderOfTest(), { ...known, issuer: 'https://login.example.com' })
    await expect((await connectWith(elsewhere)).ask('ping')).rejects.toMatchObject({
      code: 'refused',
      message: `${guarded.origin} wants a login at ${guarded.origin}; this program is known at https://login.example.com alone`,
    })
    expect(guarded.asked.filter((asked) => asked.startsWith('POST'))).toEqual([])
    for (const issuer of [`${guarded.origin}/`, undefined]) {
      const login = loginTo(guarded, folderOfTest(), { ...known, ...(issuer !== undefined && { issuer }) })
      expect((await (await connectWith(login)).ask('ping')).result).toEqual({})
    }
    expect(guarded.asked.filter((asked) => asked.startsWith('POST'))).toEqual([
      'POST /token authorization_code',
      'POST /token authorization_code',
    ])
    expect(warned).not.toHaveBeenCalled()
  })

  it.skipIf(process.platform === 'win32')('loginInBrowser() says what is wrong with a file of credentials', async () => {
    const guarded = await openGuarded()
    const folder = folderOfTest()
    await (await connectWith(loginTo(guarded, folder))).ask('ping')
    const [file] = files(folder)
    const whole = readFileSync(file!, 'utf8')
    for (const [text, mode, code] of [
      [whole, 0o644, 'refused'],
      [whole.slice(0, 50), 0o600, 'parse-error'],
      ['[]', 0o600, 'parse-error'],
      ['{"server":"https://example.com","issuers":{}}', 0o600, 'parse-error'],
    ] as const) {
      writeFileSync(file!, text)
      chmodSync(file!, mode)
      const opened = await connectWith(loginTo(guarded, folder))
      await expect(opened.ask('ping')).rejects.toMatchObject({ code, message: expect.stringContaining(file!) as string })
      expect(readFileSync(file!, 'utf8')).toBe(text)
    }
  })

  it('loginInBrowser() leaves what is kept as it was when it cannot be written', async () => {
    const guarded = await openGuarded()
    const folder = folderOfTest()
    mkdirSync(join(folder, 'credentials'))
    writeFileSync(join(folder, 'not a folder'), '')
    const opened = await connectWith(loginTo(guarded, join(folder, 'not a folder')))
    await expect(opened.ask('ping')).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('connectHttp() binds tokens to the key of a provider that has one, and signs each request', async () => {
    const guarded = await openGuarded()
    const key = await DpopSession.create()
    const login = loginTo(guarded, folderOfTest())
    const authProvider = Object.assign(loginInBrowser(login.options), { dpop: () => key })
    const opened = await talk(connectHttp(guarded.url, { authProvider, headers: { 'x-api-key': 'for the server alone' } }))
    expect((await opened.ask('ping')).result).toEqual({})
    expect((await opened.ask('ping')).result).toEqual({})
    expect(login.shown).toHaveLength(1)
    const claims = guarded.proofs.map((proof) => JSON.parse(atob(proof.split('.')[1]!)) as { htu: string; ath?: string })
    expect(claims.map(({ htu, ath }) => [htu, ath !== undefined])).toEqual([
      [`${guarded.origin}/token`, false],
      [guarded.url, true],
      [guarded.url, true],
    ])
    expect(new Set(guarded.proofs).size).toBe(3)
    expect(guarded.seen.some((headers) => 'x-api-key' in headers)).toBe(false)
  })

  it('connectHttp() has a provider get its tokens without the headers that are meant for the server', async () => {
    const guarded = await openGuarded()
    let token = ''
    const authProvider: AuthProvider = {
      token: async () => token,
      async onUnauthorized({ fetchFn }) {
        const body = JSON.stringify({ redirect_uris: [] })
        const registered = await fetchFn(`${guarded.origin}/register`, { method: 'POST', body })
        token = ((await registered.json()) as { client_id: string }).client_id
        guarded.tokens.set(token, '')
      },
    }
    const opened = await talk(connectHttp(guarded.url, { authProvider, headers: { 'x-api-key': 'for the server alone' } }))
    expect((await opened.ask('ping')).result).toEqual({})
    expect(guarded.asked).toEqual(['POST /register'])
    expect(guarded.seen.some((headers) => 'x-api-key' in headers)).toBe(false)
  })

  it('connectHttp() says what to do where nobody can log in', async () => {
    const guarded = await openGuarded()
    const opened = await talk(connectHttp(guarded.url, { authProvider: { token: async () => 'stale' } }))
    await expect(opened.ask('ping')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('needs authorization') as string,
    })
  })
})
