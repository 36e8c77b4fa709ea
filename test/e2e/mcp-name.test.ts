import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { beside, modern, MODERN } from './command-line.ts'
import { served } from './served.ts'

const server = served([beside('fixture-server.mjs')], ['--http'])

const MEMO = 'notes:///\u65e5\u672c/\u30e1\u30e2'
const SENTINEL = '=?base64?bm90ZXM6Ly8v5pel5pysL+ODoeODog==?='

/** Reads with the official client; gives the `Mcp-Name` headers that it sent. */
async function namesSent(uri: string): Promise<{ readonly names: readonly (string | null)[]; readonly contents: unknown }> {
  const names: (string | null)[] = []
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    fetch: (target, init) => {
      const headers = new Headers(init?.headers)
      if (headers.get('mcp-method') === 'resources/read') names.push(headers.get('mcp-name'))
      return fetch(target, init)
    },
  })
  const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode: { pin: MODERN } } })
  await client.connect(transport)
  try {
    return { contents: (await client.readResource({ uri })).contents, names }
  } finally {
    await client.close()
  }
}

async function post(uri: string, name: string | undefined) {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': 'resources/read',
      ...(name !== undefined && { 'mcp-name': name }),
    },
    body: JSON.stringify(modern(1, 'resources/read', { uri })),
  })
  const body = (await response.json()) as { error?: { code: number }; result?: { contents: readonly object[] } }
  return { status: response.status, code: body.error?.code, contents: body.result?.contents }
}

describe('Mcp-Name', () => {
  it('in Base64, as the official client sends what is no header text, is decoded and compared', async () => {
    expect(await namesSent(MEMO)).toEqual({
      names: [SENTINEL],
      contents: [{ uri: MEMO, mimeType: 'text/plain', text: 'memo' }],
    })
  })

  it('goes plain for a URI of plain characters', async () => {
    const uri = 'notes:///%E6%97%A5%E6%9C%AC/%E3%83%A1%E3%83%A2'
    expect(await namesSent(uri)).toEqual({ names: [uri], contents: [{ uri, mimeType: 'text/plain', text: 'memo' }] })
  })

  it.each([
    ['the sentinel of the URI', MEMO, SENTINEL],
    ['the sentinel of a plain URI', 'note:a', '=?base64?bm90ZTph?='],
  ])('may be %s', async (_what, uri, name) => {
    expect(await post(uri, name)).toMatchObject({ status: 200, code: undefined, contents: [{ uri }] })
  })

  it.each([
    ['missing', undefined],
    ['another URI', 'note:b'],
    ['the sentinel of another URI', '=?base64?bm90ZTpi?='],
    ['a sentinel that is no Base64', '=?base64?%%%?='],
    ['a sentinel that is no UTF-8', '=?base64?/w==?='],
    ['a sentinel without an end', '=?base64?bm90ZTph'],
    ['the URI with other escapes', 'note:%61'],
    ['empty', ''],
  ])('that is %s is refused with 400 and -32020', async (_what, name) => {
    expect(await post('note:a', name)).toEqual({ status: 400, code: -32020, contents: undefined })
  })
})
