import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { serveStdio } from '../../src/transports/stdio/index.ts'
import { envelope } from '../spec/engine.ts'
import { BOTH, modern, post, SHELLS } from '../spec/http.ts'
import { jsonVectors, WHERE } from './vectors.ts'
import type { JsonVector } from './vectors.ts'

interface Answer {
  readonly id?: unknown
  readonly error?: { readonly code: number }
  readonly result?: { readonly contents?: readonly unknown[] }
}

const vectors = jsonVectors() ?? []
const library = () => createLibrary({ name: 'acme' }).resource('x:1', () => 'one')
const ONE = { uri: 'x:1', mimeType: 'text/plain', text: 'one' }

/** What an error about a vector must say: not JSON, not a message, or either. */
function codesFor(name: string): readonly number[] {
  if (name.startsWith('n_')) return [-32700]
  return name.startsWith('y_') ? [-32600] : [-32700, -32600]
}

describe.skipIf(vectors.length === 0)(`JSON that is none, or no message (${WHERE})`, () => {
  it('finds all 318 files', () => {
    expect(vectors).toHaveLength(318)
  })

  it('serveStdio() answers each with an error, and the next request as ever', async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    const server = await serveStdio(library(), { input, output })
    const send = ({ name, bytes }: JsonVector) => {
      const params = { _meta: envelope(), uri: 'x:1' }
      input.write(Buffer.concat([bytes, Buffer.from('\n')]))
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id: name, method: 'resources/read', params })}\n`)
    }
    let text = ''
    output.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    vectors.forEach(send)
    input.end()
    await server.closed
    const answers = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer)
    const good = answers.filter((answer) => answer.result !== undefined)
    expect(good.map((answer) => [answer.id, answer.result?.contents])).toEqual(vectors.map(({ name }) => [name, [ONE]]))
    const errors = answers.filter((answer) => answer.result === undefined)
    expect(errors.filter((answer) => ![-32700, -32600].includes(answer.error?.code ?? 0))).toEqual([])
    // Lines that hold nothing are no messages, and some files have more than one line.
    const lines = vectors.flatMap(({ bytes }) => bytes.toString('latin1').split('\n')).filter((line) => !/^\r?$/.test(line))
    expect(errors).toHaveLength(lines.length)
  })

  describe.each(SHELLS)('%s', (shell, open) => {
    it.each(vectors)(`${shell} answers $name with 400, and the next request as ever`, async ({ name, bytes }) => {
      const server = await open({}, library())
      const response = await server.ask({ method: 'POST', headers: BOTH, body: new Uint8Array(bytes) })
      const { error } = (await response.json()) as Answer
      expect([response.status, codesFor(name).includes(error?.code ?? 0)]).toEqual([400, true])
      const next = (await (await modern(server, 'resources/read', { uri: 'x:1' })).json()) as Answer
      expect(next.result?.contents).toEqual([ONE])
    })

    it(`${shell} takes deep nesting for what it is`, async () => {
      const server = await open()
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
      expect((await post(server, deep)).status).toBe(400)
      const inside = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${deep}}}`
      expect((await post(server, inside)).status).toBe(400)
    })
  })
})
