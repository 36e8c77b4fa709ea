import { describe, expect, it } from 'vitest'
import { createLibrary, ShelfError } from '../../src/index.ts'
import { connect } from '../spec/engine.ts'
import { post, serve } from '../spec/http.ts'
import { naughtyStrings, WHERE } from './vectors.ts'

const strings = naughtyStrings() ?? []

describe.skipIf(strings.length === 0)(`naughty strings (${WHERE})`, () => {
  it('finds all 515 of them', () => {
    expect(strings).toHaveLength(515)
  })

  it('Peer answers requests made of them, and never with an internal error', async () => {
    const library = createLibrary({ name: 'acme' })
      .resource('x:1', () => 'one')
      .template('t:{v}', ({ v }) => v)
    const { peer, sink } = await connect(library)
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    let sent = 0
    const ask = (method: string, params: object) =>
      peer.receive({ jsonrpc: '2.0', id: ++sent, method, params: { _meta, ...params } }, sink)
    for (const text of strings) {
      ask('resources/read', { uri: text })
      ask('resources/read', { uri: `t:${text}` })
      ask('resources/read', { uri: `t:${encodeURIComponent(text.toWellFormed())}` })
      ask('resources/read', { uri: 'x:1', requestState: text, inputResponses: { [text]: text } })
      ask('resources/directory/read', { uri: text })
      ask('resources/list', { cursor: text })
      ask('resources/templates/list', { cursor: text })
      ask('completion/complete', { ref: { type: 'ref/resource', uri: text }, argument: { name: text, value: text } })
      ask('completion/complete', { ref: { type: 'ref/resource', uri: 't:{v}' }, argument: { name: 'v', value: text } })
      ask(text, { [text]: text })
    }
    await expect.poll(() => sink.responses.length).toBe(sent)
    expect(sink.responses.filter((answer) => answer.error?.code === -32603)).toEqual([])
    expect(sink.responses.filter((answer) => answer.error === undefined && answer.result === undefined)).toEqual([])
  })

  it('Library registers them, or refuses them with a reason', async () => {
    const library = createLibrary({ name: 'acme' })
    for (const [index, text] of strings.entries()) {
      library.resource(`x:${index}`, { name: text, title: text, description: text }, () => text)
      for (const register of [() => library.resource(text, () => ''), () => library.template(text, () => '')]) {
        try {
          register()
        } catch (error) {
          expect(error).toBeInstanceOf(ShelfError)
        }
      }
    }
    const connection = await connect(library, { limits: { firstPage: 4_000 } })
    const answer = await connection.modern('resources/list')
    const named = answer?.result?.['resources'] as { uri: string; name: string }[]
    expect(named.filter((item) => /^x:\d+$/.test(item.uri)).map((item) => item.name)).toEqual(
      strings.map((text) => text.toWellFormed()),
    )
  })

  it('serveHttp() knows no session by their name', async () => {
    const server = await serve()
    const answered = new Set<number>()
    for (const text of strings) {
      const headers = { 'mcp-session-id': text }
      // Not all of them can be a header.
      const response = await post(server, { jsonrpc: '2.0', id: 1, method: 'ping' }, headers).catch(() => undefined)
      if (response !== undefined) answered.add(response.status)
    }
    expect([...answered].filter((status) => status !== 404 && status !== 400)).toEqual([])
  })
})
