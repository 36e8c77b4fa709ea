import { isUtf8 } from 'node:buffer'
import type { Readable, Writable } from 'node:stream'
import { ShelfError } from '../../errors.ts'
import type { Library } from '../../library/index.ts'
import { LOCAL } from '../../library/index.ts'
import { adviseOnStderr, processSealer, reportToStderr, systemClock } from '../../runtime/index.ts'
import type { EngineOptions, Sink } from '../../server/index.ts'
import { openEngine } from '../../server/index.ts'
import { LineReader } from './line-reader.ts'
import { LineWriter } from './line-writer.ts'
import { guardStdout } from './stdout-guard.ts'

/** Official clients drop the connection at 10 MiB. */
const MAX_FRAME = 9.5 * 1024 * 1024

/** Requests that wait before this channel reads no further, and lets its client wait. */
const MANY_WAITING = 1_000

/** What in-flight requests get after the client has closed its end. */
const GRACE_MS = 700

export interface StdioOptions extends Partial<EngineOptions> {
  /** Default `process.stdin`. */
  readonly input?: Readable
  /** Default `process.stdout`, which is then kept for messages alone: whatever else is printed goes to stderr. */
  readonly output?: Writable
  /** The longest message either way, in bytes. Default 9.5 MiB. */
  readonly maxFrame?: number
  /** Ends the process, with code 0, once the client is gone. Default true with `process.stdin`, else false. */
  readonly exit?: boolean
}

export interface StdioServer extends AsyncDisposable {
  /** Settles when the client is gone and everything is closed. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/**
 * Serves a Library on standard input and output (basic/transports/stdio), in both eras. Takes ownership of the
 * Library: it is disposed when the client closes its end.
 */
export async function serveStdio(library: Library, options: StdioOptions = {}): Promise<StdioServer> {
  const { input = process.stdin, output = process.stdout, maxFrame = MAX_FRAME } = options
  const exit = options.exit ?? options.input === undefined
  const guard = options.output === undefined ? guardStdout() : undefined
  const writer = new LineWriter(output, guard?.write)
  const engine = await openEngine(library, {
    sealer: processSealer(process.env),
    clock: systemClock,
    onError: reportToStderr,
    ...options,
  })
  adviseOnStderr(library.advice)
  const peer = engine.openPeer({ principal: LOCAL })

  const send = (frame: Parameters<Sink['respond']>[0]): void | Promise<void> => {
    readOn()
    return writer.write(frame)
  }
  const readOn = (): void => {
    if (input.isPaused() && closing === undefined && peer.waiting < MANY_WAITING) input.resume()
  }
  const channel: Sink = { maxFrame, notify: send, respond: send, drop: readOn }
  peer.attach(channel)

  const reader = new LineReader(
    maxFrame,
    (line) => {
      if (isUtf8(line)) peer.receiveText(line.toString('utf8'), channel)
      else peer.refuse(channel, new ShelfError('parse-error', 'Not valid UTF-8', {}))
    },
    (size) => {
      const message = `A message of ${size} bytes is too large; the limit is ${maxFrame}`
      peer.refuse(channel, new ShelfError('too-large', message, { size, limit: maxFrame }))
    },
  )

  let closing: Promise<void> | undefined
  let settled!: () => void
  const closed = new Promise<void>((resolve) => {
    settled = resolve
  })
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      input.off('data', onData)
      input.pause()
      await engine.close()
      const deadline = performance.now() + GRACE_MS
      while (peer.inFlight > 0 && performance.now() < deadline) await pause(5)
      peer.close()
      await Promise.race([writer.flush(), pause(GRACE_MS)])
      writer.stop()
      guard?.release()
      await Promise.race([library[Symbol.asyncDispose](), pause(GRACE_MS)])
      settled()
      if (exit) setTimeout(() => process.exit(), 50).unref()
    })())

  const onData = (chunk: Buffer | string): void => {
    reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    if (peer.waiting >= MANY_WAITING) input.pause()
  }
  input.on('data', onData)
  input.once('end', () => {
    reader.end()
    void close()
  })
  input.once('close', () => void close())
  input.on('error', () => void close())
  output.on('error', () => {
    writer.stop()
    void close()
  })
  return { closed, close, [Symbol.asyncDispose]: close }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
