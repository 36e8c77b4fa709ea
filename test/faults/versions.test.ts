import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLI, endpoint, folderOfFile, Program } from '../e2e/command-line.ts'
import type { Wire } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import { headersOf, Line, openSession } from './wire.ts'

const folder = folderOfFile()
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'a.md'), 'a')
const URI = 'file:///docs/a.md'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const SUPPORTED = { supported: ['2026-07-28'] }

/** A modern read with other `_meta`. */
function withMeta(change: (meta: Record<string, unknown>) => void): object {
  const message = structuredClone(readOf('modern', 1, URI)) as { params: { _meta: Record<string, unknown> } }
  change(message.params._meta)
  return message
}

const unknown = (version: unknown) => withMeta((meta) => (meta[VERSION] = version))

/** What is wrong in the message itself, whatever the transport. */
const MESSAGES: readonly (readonly [what: string, message: object, error: { code: number; data?: object }])[] = [
  ['a version of the future', unknown('2099-01-01'), { code: -32022, data: { ...SUPPORTED, requested: '2099-01-01' } }],
  ['a version that is no date', unknown('v2'), { code: -32022, data: { ...SUPPORTED, requested: 'v2' } }],
  ['an empty version', unknown(''), { code: -32022, data: { ...SUPPORTED, requested: '' } }],
  ['a version that is a number', unknown(20_260_728), { code: -32602 }],
  ['a null version', unknown(null), { code: -32602 }],
  ['no version beside capabilities', withMeta((meta) => delete meta[VERSION]), { code: -32602 }],
  ['no capabilities', withMeta((meta) => delete meta[CAPABILITIES]), { code: -32602 }],
  ['capabilities that are a list', withMeta((meta) => (meta[CAPABILITIES] = [])), { code: -32602 }],
]

const GOOD = { contents: [{ uri: URI, mimeType: 'text/markdown', text: 'a' }] }

describe('a message to `shelfmark serve` on stdio', () => {
  let server: Program
  beforeAll(() => {
    server = new Program([CLI, 'serve', `docs=${folder}`])
  })
  afterAll(() => server.stop())

  it.each(MESSAGES)('with %s is refused, and the next is answered', async (what, message, error) => {
    server.send({ ...message, id: what })
    expect((await server.answer(what)).error).toMatchObject(error)
    server.send(readOf('modern', `after ${what}`, URI))
    expect((await server.answer(`after ${what}`)).result).toMatchObject(GOOD)
  })
})

describe('a request to `shelfmark serve` over HTTP', () => {
  let server: Program
  let url: string
  let line: Line
  let session: Record<string, string>
  beforeAll(async () => {
    server = new Program([CLI, 'serve', `docs=${folder}`, '--http', '0'])
    url = await endpoint(server)
    line = new Line(url)
    session = await openSession(url)
  })
  afterAll(async () => {
    line.socket.destroy()
    await server.stop()
  })

  async function ask(message: object, headers: Record<string, string | undefined>) {
    const before = line.responses.length
    const body = JSON.stringify(message)
    const all = Object.entries({ host: new URL(url).host, ...headers, 'content-length': String(Buffer.byteLength(body)) })
    const lines = all.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}: ${value}`)
    line.socket.write(['POST /mcp HTTP/1.1', ...lines, '', body].join('\r\n'))
    await line.answered(before + 1)
    const [status, text] = line.responses.at(-1)!
    return { status, ...(text !== '' && (JSON.parse(text) as Wire)) }
  }

  const modern = readOf('modern', 1, URI)
  const legacy = readOf('legacy', 1, URI)
  const own = headersOf(modern)
  const ofSession = () => headersOf(legacy, session)

  /** What is wrong in the headers; all on one connection, which serves on. */
  it.each<[what: string, message: object, headers: () => Record<string, string | undefined>, status: number, error?: object]>([
    ...MESSAGES.map(([what, message, error]): [string, object, () => Record<string, string | undefined>, number, object] => {
      const version = (message as { params: { _meta: Record<string, unknown> } }).params._meta[VERSION]
      return [
        what,
        message,
        () => ({ ...own, 'mcp-protocol-version': typeof version === 'string' ? version : '2026-07-28' }),
        400,
        error,
      ]
    }),
    ['no version header', modern, () => ({ ...own, 'mcp-protocol-version': undefined }), 400, { code: -32020 }],
    [
      'the version of another in the header',
      modern,
      () => ({ ...own, 'mcp-protocol-version': '2099-01-01' }),
      400,
      { code: -32020 },
    ],
    ['a legacy version in the header', modern, () => ({ ...own, 'mcp-protocol-version': '2025-11-25' }), 400, { code: -32020 }],
    ['no method header', modern, () => ({ ...own, 'mcp-method': undefined }), 400, { code: -32020 }],
    ['the method of another in the header', modern, () => ({ ...own, 'mcp-method': 'resources/list' }), 400, { code: -32020 }],
    ['no name header', modern, () => ({ ...own, 'mcp-name': undefined }), 400, { code: -32020 }],
    ['the name of another in the header', modern, () => ({ ...own, 'mcp-name': 'file:///docs/b.md' }), 400, { code: -32020 }],
    [
      'a Base64 name of another',
      modern,
      () => ({ ...own, 'mcp-name': `=?base64?${btoa('file:///docs/b.md')}?=` }),
      400,
      { code: -32020 },
    ],
    ['a broken Base64 name', modern, () => ({ ...own, 'mcp-name': '=?base64?%%%?=' }), 400, { code: -32020 }],
    [
      'a version that is not served beside a session',
      legacy,
      () => ({ ...ofSession(), 'mcp-protocol-version': '1999-01-01' }),
      400,
      { code: -32600 },
    ],
    [
      '2024-11-05 beside a session',
      legacy,
      () => ({ ...ofSession(), 'mcp-protocol-version': '2024-11-05' }),
      400,
      { code: -32600 },
    ],
    ['no session', legacy, () => ({ ...ofSession(), 'mcp-session-id': undefined }), 400, { code: -32600 }],
    ['the session of nobody', legacy, () => ({ ...ofSession(), 'mcp-session-id': 'f'.repeat(32) }), 404, { code: -32600 }],
    ['no content type', modern, () => ({ ...own, 'content-type': undefined }), 415, { code: -32600 }],
    ['no version header beside a session', legacy, () => ({ ...ofSession(), 'mcp-protocol-version': undefined }), 200],
    ['no accept header', modern, () => ({ ...own, accept: undefined }), 200],
  ])('with %s is what it is, and the next is answered', async (_what, message, headers, status, error) => {
    const answer = await ask(message, headers())
    expect(answer).toMatchObject({ status, ...(error === undefined ? { result: GOOD } : { error }) })
    expect(await ask(modern, own)).toMatchObject({ status: 200, result: GOOD })
    expect(await ask(legacy, ofSession())).toMatchObject({ status: 200, result: GOOD })
  })

  it('was all on one connection', () => {
    expect([line.closed, line.responses.length > 70]).toEqual([false, true])
  })
})
