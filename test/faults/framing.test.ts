import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLI, endpoint, folderOfFile, opening, Program } from '../e2e/command-line.ts'
import type { Wire } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import { ask, bytesOf, descriptors, Line, openSession, resident, settled, TELLS } from './wire.ts'

// Characters of two, three and four bytes, in the URI as in the text.
const NAME = 'é日𝄞.md'
const URI = `file:///docs/${encodeURIComponent(NAME)}`
const folder = folderOfFile()
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, NAME), 'é日𝄞')

const start = (...more: readonly string[]) => new Program([CLI, 'serve', `docs=${folder}`, ...more])

/** A read whose `_meta` holds characters of several bytes as they are. */
const read = (era: 'legacy' | 'modern', id: number | string) => readOf(era, id, URI, { 'x/note': 'é日𝄞' })
const GOOD = { contents: [{ uri: URI, mimeType: 'text/markdown', text: 'é日𝄞' }] }

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))))

const PING = '{"jsonrpc":"2.0","id":"p","method":"ping"}'

/** Lines that are no requests, and the codes of what is answered to each. */
const ODD: readonly (readonly [what: string, line: Buffer, codes: readonly number[]])[] = [
  ['nothing', bytes(''), []],
  ['a carriage return', bytes('\r'), []],
  ['spaces', bytes('   '), [-32700]],
  ['a NUL byte', bytes([0]), [-32700]],
  ['NUL bytes around a message', bytes([0], PING, [0]), [-32700]],
  ['a NUL byte inside a message', bytes('{"jsonrpc":"2.0","id":1,', [0], '"method":"ping"}'), [-32700]],
  ['bytes that are not UTF-8', bytes('{"jsonrpc":"2.0","id":1,"method":"', [0xff, 0xfe], '"}'), [-32700]],
  ['half a character', bytes('{"jsonrpc":"2.0","id":1,"method":"', [0xe6, 0x97], '"}'), [-32700]],
  ['an overlong slash', bytes('{"jsonrpc":"2.0","id":1,"method":"', [0xc0, 0xaf], '"}'), [-32700]],
  ['a byte order mark before a message', bytes([0xef, 0xbb, 0xbf], PING), [-32700]],
  ['half a message', bytes(PING.slice(0, 20)), [-32700]],
  ['two messages without a newline between', bytes(PING, PING), [-32700]],
  ['a header of another protocol', bytes('Content-Length: 42'), [-32700]],
  ['a null id', bytes('{"jsonrpc":"2.0","id":null,"method":"ping"}'), [-32600]],
  ['an id with a fraction', bytes('{"jsonrpc":"2.0","id":1.5,"method":"ping"}'), [-32600]],
  ['an id that is infinite', bytes('{"jsonrpc":"2.0","id":1e400,"method":"ping"}'), [-32600]],
  ['no version', bytes('{"id":1,"method":"ping"}'), [-32600]],
  ['an empty array', bytes('[]'), [-32600]],
  ['an array of messages', bytes(`[${PING}]`), [-32600]],
  ['a method that there is not', bytes('{"jsonrpc":"2.0","id":1,"method":"no/such"}'), [-32601]],
  ['a notification that there is not', bytes('{"jsonrpc":"2.0","method":"notifications/none"}'), []],
  ['a response', bytes('{"jsonrpc":"2.0","id":1,"result":{}}'), []],
  ['an error', bytes('{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}'), []],
]

describe('the lines of `shelfmark serve` on stdio', () => {
  let server: Program
  let before = 0
  beforeAll(async () => {
    server = start()
    server.send(...opening('open'))
    await server.answer('open')
    server.send(read('legacy', 'first'))
    await server.answer('first')
    // What is watched from the beginning takes some.
    if (TELLS) before = await settled(() => descriptors(server), 300)
  })
  afterAll(() => server.stop())

  /** What is said before the answer to a good request, and that answer. */
  async function around(id: string, write: () => void | Promise<void>): Promise<readonly Wire[]> {
    const from = server.messages.length
    await write()
    server.child.stdin.write('\n')
    server.send(read('legacy', id))
    expect((await server.answer(id)).result).toMatchObject(GOOD)
    return server.messages.slice(from).filter((message) => message.id !== id)
  }

  it.each(ODD)('may be %s, and the next is answered', async (what, line, codes) => {
    const said = await around(`after ${what}`, () => void server.child.stdin.write(line))
    expect(said.map(({ error }) => error?.code)).toEqual(codes)
  })

  it('may end with CRLF, and come several in one piece', async () => {
    const from = server.messages.length
    const ids = ['one', 'two', 'three']
    const lines = ids.map((id) => JSON.stringify(read('legacy', id)))
    server.child.stdin.write(`${lines.join('\r\n')}\r\n\r\n\n${lines[0]?.replace('"one"', '"four"').slice(0, 30)}`)
    await server.answer('three')
    server.child.stdin.write(`${lines[0]?.replace('"one"', '"four"').slice(30)}\n`)
    await server.answer('four')
    const said = server.messages.slice(from)
    expect(said.map(({ id }) => String(id)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['four', 'one', 'three', 'two'])
    expect(said).toMatchObject(said.map(() => ({ result: GOOD })))
  })

  it('may come one byte at a time', async () => {
    const said = await around('after bytes', async () => {
      for (const byte of Buffer.from(JSON.stringify(read('legacy', 'bytes')))) {
        server.child.stdin.write(Buffer.of(byte))
        await new Promise(setImmediate)
      }
    })
    expect(said).toMatchObject([{ jsonrpc: '2.0', id: 'bytes', result: GOOD }])
  })

  it('may be cut at any byte', async () => {
    const whole = (at: number) => Buffer.from(`${JSON.stringify(read('legacy', `cut ${at}`))}\n`)
    const from = server.messages.length
    const offsets = Array.from({ length: whole(100).length - 1 }, (_, index) => index + 1)
    for (const at of offsets) {
      const line = whole(at)
      server.child.stdin.write(line.subarray(0, at))
      // The reader has the first part before the second one comes.
      await pause(1)
      server.child.stdin.write(line.subarray(at))
    }
    await server.answer(`cut ${offsets.at(-1)}`)
    await server.until(() => server.messages.length === from + offsets.length || undefined)
    const said = server.messages.slice(from)
    expect(said.filter(({ result }) => JSON.stringify(result?.['contents']) !== JSON.stringify(GOOD.contents))).toEqual([])
    expect(new Set(said.map(({ id }) => id))).toEqual(new Set(offsets.map((at) => `cut ${at}`)))
  })

  it.skipIf(!TELLS)('may have no end for 200 MiB, of which nothing is kept', async () => {
    const piece = Buffer.alloc(1024 * 1024, '{')
    const most = { memory: 0 }
    const begun = resident(server)
    const said = await around('after the endless', async () => {
      for (let i = 0; i < 200; i++) {
        if (!server.child.stdin.write(piece)) await new Promise((resolve) => server.child.stdin.once('drain', resolve))
        most.memory = Math.max(most.memory, resident(server))
      }
    })
    expect(said).toMatchObject([{ error: { code: 10_413, data: { size: 209_715_200, limit: 9_961_472 } } }])
    expect(most.memory - begun).toBeLessThan(100)
    expect(descriptors(server)).toBeLessThanOrEqual(before)
  })
})

describe('the bodies of `shelfmark serve` over HTTP', () => {
  let server: Program
  let url: string
  let session: Record<string, string>
  beforeAll(async () => {
    server = start('--http', '0')
    url = await endpoint(server)
    session = await openSession(url)
  })
  afterAll(() => server.stop())

  const good = async (): Promise<void> => {
    expect((await ask(url, read('legacy', 'good'), session)).result).toMatchObject(GOOD)
    expect((await ask(url, read('modern', 'good'))).result).toMatchObject(GOOD)
  }

  /** A body as a legacy client sends it, or a modern one. */
  const raw = (body: Buffer, headers: Record<string, string>): Buffer => {
    const message = bytesOf(url, '', headers)
    const head = message.toString().replace('content-length: 0', `content-length: ${body.length}`)
    return Buffer.concat([Buffer.from(head), body])
  }

  it.each(ODD.filter(([what]) => what !== 'nothing' && what !== 'a carriage return' && what !== 'an array of messages'))(
    'may be %s on a connection that serves on',
    async (_what, body, codes) => {
      const line = new Line(url)
      line.socket.write(raw(body, session))
      await line.answered(1)
      const [status, text] = line.responses[0]!
      if (codes.length === 0) expect([status, text]).toEqual([202, ''])
      else expect((JSON.parse(text) as Wire).error?.code).toBe(codes[0])
      expect(status).toBe(codes.length === 0 ? 202 : codes[0] === -32601 ? 200 : 400)
      line.socket.write(bytesOf(url, read('modern', 2)))
      await line.answered(2)
      expect((JSON.parse(line.responses[1]![1]) as Wire).result).toMatchObject(GOOD)
      line.socket.destroy()
    },
  )

  it('may come one byte at a time, headers and all', async () => {
    const line = new Line(url)
    for (const byte of bytesOf(url, read('modern', 1), undefined, true)) {
      line.socket.write(Buffer.of(byte))
      await new Promise(setImmediate)
    }
    await expect.poll(() => line.closed).toBe(true)
    expect(JSON.parse(line.responses[0]![1])).toMatchObject({ id: 1, result: GOOD })
  })

  it('may be cut at any byte of the message, with a length or in chunks', async () => {
    const line = new Line(url)
    const length = Buffer.byteLength(JSON.stringify(read('modern', 100)))
    let count = 0
    for (let at = 1; at < length; at++) {
      const message = bytesOf(url, read('modern', 100 + at))
      const head = message.length - Buffer.byteLength(JSON.stringify(read('modern', 100 + at)))
      const [first, second] = [message.subarray(head, head + at), message.subarray(head + at)]
      if (at % 2 === 0) {
        line.socket.write(message.subarray(0, head))
        line.socket.write(first)
        await pause(1)
        line.socket.write(second)
      } else {
        line.socket.write(
          message
            .subarray(0, head)
            .toString()
            .replace(/content-length: \d+/, 'transfer-encoding: chunked'),
        )
        line.socket.write(bytes(`${first.length.toString(16)}\r\n`, [...first], '\r\n'))
        await pause(1)
        line.socket.write(bytes(`${second.length.toString(16)}\r\n`, [...second], '\r\n0\r\n\r\n'))
      }
      count++
      // No more than eight wait: a connection may have only so many requests under way.
      if (count > 8) await line.answered(count - 8)
    }
    await expect.poll(() => line.responses.length, { timeout: 5_000 }).toBe(count)
    const answers = line.responses.map(([, body]) => JSON.parse(body) as Wire)
    expect(answers.filter(({ result }) => JSON.stringify(result?.['contents']) !== JSON.stringify(GOOD.contents))).toEqual([])
    expect(answers.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, index) => 101 + index))
    line.socket.destroy()
  })

  it('may come three in one piece, and are answered in their order', async () => {
    const line = new Line(url)
    line.socket.write(Buffer.concat([1, 2, 3].map((id) => bytesOf(url, read('modern', id), undefined, id === 3))))
    await expect.poll(() => line.closed).toBe(true)
    expect(line.responses.map(([, body]) => (JSON.parse(body) as Wire).id)).toEqual([1, 2, 3])
  })

  it.skipIf(!TELLS).each([
    ['a length beyond the limit', (_body: Buffer) => 'content-length: 209715200\r\n\r\n'],
    ['chunks beyond the limit', (_body: Buffer) => 'transfer-encoding: chunked\r\n\r\n'],
  ])('is refused with %s, of which nothing is kept', async (_what, end) => {
    const begun = resident(server)
    const line = new Line(url)
    const head = bytesOf(url, '', session)
      .toString()
      .replace(/content-length: 0\r\n\r\n$/, '')
    const piece = Buffer.alloc(1024 * 1024, '[')
    const chunked = end(piece).startsWith('transfer')
    line.socket.write(head + end(piece))
    for (let i = 0; i < 200 && !line.closed; i++) {
      if (chunked) line.socket.write('100000\r\n')
      const room = line.socket.write(piece)
      if (chunked) line.socket.write('\r\n')
      if (!room) await Promise.race([new Promise((resolve) => line.socket.once('drain', resolve)), pause(200)])
    }
    await expect.poll(() => line.responses.length).toBeGreaterThan(0)
    expect(line.responses[0]?.[0]).toBe(413)
    expect(resident(server) - begun).toBeLessThan(60)
    line.socket.destroy()
    await good()
  })

  it.each([
    ['a body that is too large', 'content-type: application/json\r\n', 413],
    ['another type', 'content-type: text/plain\r\n', 415],
  ])('that is refused for %s keeps its answer: the connection is closed when all has come', async (_what, header, status) => {
    const line = new Line(url)
    let failure: Error | undefined
    line.socket.on('error', (error) => (failure = error))
    const piece = Buffer.alloc(600_000, '[')
    line.socket.write(`POST /mcp HTTP/1.1\r\nhost: ${new URL(url).host}\r\nconnection: close\r\n${header}`)
    line.socket.write(`content-length: ${20 * piece.length}\r\n\r\n`)
    for (let i = 0; i < 2; i++) line.socket.write(piece)
    await line.answered(1)
    expect(await settled(() => line.closed)).toBe(false)
    for (let i = 2; i < 20; i++) line.socket.write(piece)
    await expect.poll(() => line.closed).toBe(true)
    expect([line.responses.map(([code]) => code), failure]).toEqual([[status], undefined])
  })

  it.each([
    ['a length that is none', 'content-length: 1e3\r\n\r\n'],
    ['two lengths', 'content-length: 5\r\ncontent-length: 6\r\n\r\n'],
    ['a length and chunks', 'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a chunk without a size', 'transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n'],
    ['a newline in a header', 'x-a: b\rc\r\ncontent-length: 0\r\n\r\n'],
    ['33 KiB of headers', `x-a: ${'y'.repeat(33_000)}\r\n\r\n`],
  ])('with %s are refused, and the next client is served', async (_what, rest) => {
    const line = new Line(url)
    const head = bytesOf(url, '', session)
      .toString()
      .replace(/content-length: 0\r\n\r\n$/, '')
    line.socket.write(head + rest)
    await expect.poll(() => line.closed, { timeout: 5_000 }).toBe(true)
    expect([400, 431]).toContain(line.responses[0]?.[0])
    await good()
  })

  it('that end early leave nothing', async () => {
    const before = descriptors(server)
    for (let i = 0; i < 20; i++) {
      const line = new Line(url)
      line.socket.write(bytesOf(url, read('modern', 1)).subarray(0, -1 - i))
      await pause(2)
      if (i % 2 === 0) line.socket.resetAndDestroy()
      else line.socket.end()
    }
    await expect.poll(() => descriptors(server), { timeout: 5_000 }).toBeLessThanOrEqual(before)
    await good()
  })
})
