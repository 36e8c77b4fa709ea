import { isUtf8 } from 'node:buffer'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { ShelfError } from '../../errors.ts'
import type { Library } from '../../library/index.ts'
import { LOCAL } from '../../library/index.ts'
import { adviseOnStderr, endProcess, processDefaults, reportToStderr } from '../../runtime/index.ts'
import type { Engine, EngineOptions, Sink } from '../../server/index.ts'
import { openEngine } from '../../server/index.ts'
import { LineReader } from './line-reader.ts'
import { LineWriter } from './line-writer.ts'
import { guardStdout } from './stdout-guard.ts'

/** Official clients drop the connection at 10 MiB. */
const MAX_FRAME = 9.5 * 1024 * 1024

/** What in-flight requests get after the client has closed its end, and again whenever one of them was answered. */
const GRACE_MS = 400
/** What their answers get to leave, again whenever some of it did, and the Library to be disposed: the process of a client that is gone ends within a second. */
const LEAVE_MS = 200

/** With this much waiting to be read, in UTF-16 units or bytes, a client that does not read is not answered either. */
const MAX_BACKLOG = 4 * 1024 * 1024
/** How much of its input is taken meanwhile, so that its end is noticed. */
const MAX_HELD = 1024 * 1024

export interface StdioOptions extends Partial<EngineOptions> {
  /** Default `process.stdin`. */
  readonly input?: Readable
  /** Default `process.stdout`, which is then kept for messages alone: whatever else is printed goes to stderr. */
  readonly output?: Writable
  /** The longest message either way, in bytes. Default 9.5 MiB. */
  readonly maxFrame?: number
  /** How long requests may go on after `close()`, in milliseconds, as long as the client is there. Default 5 seconds. */
  readonly drainMs?: number
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
  const { input = process.stdin, output = process.stdout, maxFrame = MAX_FRAME, drainMs = 5_000 } = options
  const exit = options.exit ?? options.input === undefined
  const guard = options.output === undefined ? guardStdout() : undefined
  const writer = new LineWriter(output, guard?.write)
  let engine: Engine
  try {
    engine = await openEngine(library, { ...processDefaults(), ...options })
  } catch (error) {
    guard?.release()
    await library[Symbol.asyncDispose]()
    throw error
  }
  adviseOnStderr(library.advice)
  const peer = engine.openPeer({ principal: LOCAL })

  let closing: Promise<void> | undefined
  /** When the client closed its end, which is when its second begins. */
  let endedAt = Infinity
  /** Nobody is there to be answered. */
  let gone = false
  /** Input that waits until the client has read. */
  const held: Buffer[] = []
  let heldBytes = 0
  let holding = false
  const send = (frame: Parameters<Sink['respond']>[0]): void | Promise<void> => {
    const written = writer.write(frame)
    if (!holding && writer.backlog > MAX_BACKLOG) {
      holding = true
      void writer.below(MAX_BACKLOG).then(goOn)
    }
    return written
  }
  const goOn = async (): Promise<void> => {
    for (let chunk = held.shift(); chunk !== undefined; chunk = held.shift()) {
      if (closing !== undefined) return
      heldBytes -= chunk.length
      reader.push(chunk)
      // What was asked for is answered before more is asked.
      await new Promise(setImmediate)
      await writer.below(MAX_BACKLOG)
    }
    holding = false
    if (endedAt < Infinity) finish()
    else if (closing === undefined) input.resume()
  }
  /** All that the client sent has been taken. */
  const finish = (): void => {
    reader.end()
    void close()
  }
  const channel: Sink = { maxFrame, notify: send, respond: send, drop: () => undefined }
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

  let settled!: () => void
  const closed = new Promise<void>((resolve) => {
    settled = resolve
  })
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      const begun = performance.now()
      /** When requests have had their time, of which a client that is gone leaves them less. */
      const deadline = (): number => Math.min(begun + drainMs, endedAt + GRACE_MS)
      peer.windDown()
      const ending = engine.close().catch(reportClosing)
      for (let ended = false; !ended && performance.now() < deadline();) {
        ended = await Promise.race([ending.then(() => true), pause(5, false)])
      }
      await untilNone(
        () => peer.inFlight,
        (moved) => Math.min(begun + drainMs, (gone ? endedAt : Math.max(endedAt, moved)) + GRACE_MS),
      )
      input.off('data', onData)
      input.pause()
      peer.close()
      let flushed = false
      void writer.flush().then(() => {
        flushed = true
      })
      await untilNone(
        () => (flushed ? 0 : 1 + writer.backlog),
        (moved) => Math.min(begun + drainMs + LEAVE_MS, moved + LEAVE_MS),
      )
      writer.stop()
      guard?.release()
      await Promise.race([library[Symbol.asyncDispose](), pause(LEAVE_MS)]).catch(reportClosing)
      settled()
      if (exit) setTimeout(() => endProcess(0), 20).unref()
    })())
  /** The client is gone, or takes nothing any more. */
  const leave = (): void => {
    gone = true
    endedAt = Math.min(endedAt, performance.now())
    void close()
  }

  const onData = (chunk: Buffer | string): void => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    if (!holding) {
      reader.push(bytes)
      return
    }
    held.push(bytes)
    heldBytes += bytes.length
    if (heldBytes > MAX_HELD) input.pause()
  }
  input.on('data', onData)
  input.once('end', () => {
    endedAt = Math.min(endedAt, performance.now())
    if (holding) void pause(GRACE_MS).then(close)
    else finish()
  })
  input.once('close', () => {
    if (endedAt === Infinity) leave()
  })
  input.on('error', leave)
  output.on('error', () => {
    writer.stop()
    leave()
  })
  return { closed, close, [Symbol.asyncDispose]: close }
}

/** Waits until none is left. It gives up at a time that may depend on when it last became less. */
async function untilNone(left: () => number, until: (moved: number) => number): Promise<void> {
  let moved = performance.now()
  for (let before = left(); before > 0 && performance.now() < until(moved);) {
    await pause(5)
    const after = left()
    if (after < before) moved = performance.now()
    before = after
  }
}

function reportClosing(error: unknown): void {
  reportToStderr(error, { method: 'closing' })
}
