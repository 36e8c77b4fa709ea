import { ShelfError } from '../../errors.ts'

/** Looks at the bytes of a body as they come; throws when they are too many. */
export type ByteCheck = (chunk: Uint8Array) => void

const LF = 0x0a
const CR = 0x0d

/** A limit for all of a body. */
export function wholeBody(limit: number): ByteCheck {
  let size = 0
  return (chunk) => {
    size += chunk.byteLength
    if (size > limit) throw tooLarge(`The answer has more than ${limit} bytes`, size, limit)
  }
}

/** A limit for each event of a stream, which as a whole may go on without end. An empty line ends an event. */
export function eachEvent(limit: number): ByteCheck {
  let size = 0
  /** Bytes of the line so far, without its end. */
  let line = 0
  let afterReturn = false
  return (chunk) => {
    let at = 0
    if (afterReturn && chunk[0] === LF) at = 1
    if (chunk.byteLength > 0) afterReturn = false
    let nextReturn = chunk.indexOf(CR, at)
    while (at < chunk.byteLength) {
      const nextFeed = chunk.indexOf(LF, at)
      if (nextReturn >= 0 && nextReturn < at) nextReturn = chunk.indexOf(CR, at)
      const end = nextFeed < 0 || (nextReturn >= 0 && nextReturn < nextFeed) ? nextReturn : nextFeed
      const length = (end < 0 ? chunk.byteLength : end) - at
      line += length
      size += length
      if (size > limit) throw tooLarge(`An event of the stream has more than ${limit} bytes`, size, limit)
      if (end < 0) return
      if (line === 0) size = 0
      line = 0
      at = end + 1
      if (chunk[end] !== CR) continue
      if (at === chunk.byteLength) afterReturn = true
      else if (chunk[at] === LF) at++
    }
  }
}

export interface BodyWatch {
  /** Ends the body when it aborts, whether or not whoever made the body looks at it. */
  readonly signal: AbortSignal
  readonly check: ByteCheck
  /** Called once, with the error if it did not come to its end; nothing when nobody wanted the rest. */
  readonly onEnd: (error?: unknown) => void
  /** What is read instead of an error of the body. */
  readonly explain: (error: unknown) => unknown
}

/** The body, byte for byte as it comes, until `check` throws: then it is cancelled, and whoever reads it gets that error. */
export function watchBody(body: ReadableStream<Uint8Array>, watch: BodyWatch): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let abort!: () => void
  let ended = false
  const end = (error?: unknown): void => {
    if (ended) return
    ended = true
    watch.signal.removeEventListener('abort', abort)
    watch.onEnd(error)
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        abort = () => fail(controller, watch.signal.reason)
        watch.signal.addEventListener('abort', abort)
      },
      async pull(controller) {
        try {
          const next = await reader.read()
          if (ended) return
          if (next.done) {
            end()
            controller.close()
            return
          }
          watch.check(next.value)
          controller.enqueue(next.value)
        } catch (error) {
          fail(controller, error)
        }
      },
      async cancel(reason) {
        end()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )

  function fail(controller: ReadableStreamDefaultController<Uint8Array>, error: unknown): void {
    if (ended) return
    end(error)
    controller.error(watch.explain(error))
    reader.cancel(error).catch(() => undefined)
  }
}

function tooLarge(message: string, size: number, limit: number): ShelfError<'too-large'> {
  return new ShelfError('too-large', `${message} and was broken off`, { size, limit })
}
