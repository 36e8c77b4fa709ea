import { connect } from 'node:net'
import type { Socket } from 'node:net'
import type { Load } from './load.ts'
import { idPlace, Ids } from './load.ts'

/** One whole HTTP answer. */
export interface Answer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  /** All its bytes, head included. */
  readonly size: number
}

/** A POST with a JSON body, as bytes. */
export function postRequest(port: number, body: string, headers: Readonly<Record<string, string>>): Buffer {
  const lines = [
    'POST /mcp HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** Sends one request on a connection of its own and reads the answer whole. */
export function ask(port: number, request: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    let received = Buffer.alloc(0)
    socket.on('error', reject)
    socket.on('end', () => reject(new Error(`The connection ended in the middle of an answer: ${received.toString('latin1')}`)))
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const answer = wholeAnswer(received)
      if (answer === undefined) return
      socket.destroy()
      resolve(answer)
    })
  })
}

function wholeAnswer(bytes: Buffer): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  const status = Number(first.split(' ')[1])
  const start = end + 4
  if (headers.get('transfer-encoding') === 'chunked') {
    if (!bytes.toString('latin1', start).endsWith('0\r\n\r\n')) return undefined
    return { status, headers, body: unchunk(bytes.subarray(start)), size: bytes.length }
  }
  const length = Number(headers.get('content-length') ?? 0)
  if (bytes.length < start + length) return undefined
  return { status, headers, body: bytes.toString('utf8', start), size: bytes.length }
}

function unchunk(bytes: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (!(size > 0)) return Buffer.concat(parts).toString('utf8')
    parts.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 4 + size
  }
}

const READ_SIZE = 256 * 1024

/**
 * Keeps connections busy with one request each: as soon as one is answered, the next is sent. Every answer must have
 * status 200 and the size that the first one had.
 */
export function driveHttp(port: number, request: Buffer, size: number, connections: number): Load {
  const place = idPlace(request)
  const ids = new Ids()
  const sockets: Socket[] = []
  let done = 0
  let failure: Error | undefined
  let stopped = false
  const fail = (error: Error): void => {
    if (!stopped) failure ??= error
  }
  const open = (): Socket => {
    const own = Buffer.from(request)
    let received = 0
    const onRead = (count: number, bytes: Uint8Array): boolean => {
      if (received === 0 && count > 12 && (bytes[9] !== 0x32 || bytes[10] !== 0x30 || bytes[11] !== 0x30)) {
        fail(new Error(`Not 200: ${Buffer.from(bytes.subarray(0, count)).toString('latin1')}`))
      }
      received += count
      if (received < size) return true
      if (received > size) fail(new Error(`An answer of ${received} bytes where the first had ${size}`))
      received = 0
      done++
      if (stopped || failure !== undefined) return true
      ids.patch(own, place)
      socket.write(own)
      return true
    }
    const socket = connect(
      { port, host: '127.0.0.1', noDelay: true, onread: { buffer: Buffer.allocUnsafe(READ_SIZE), callback: onRead } },
      () => {
        ids.patch(own, place)
        socket.write(own)
      },
    )
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('The server closed a connection')))
    return socket
  }
  for (let i = 0; i < connections; i++) sockets.push(open())
  return {
    get done() {
      return done
    },
    get failure() {
      return failure
    },
    stop: () => {
      stopped = true
      for (const socket of sockets) socket.destroy()
    },
  }
}
