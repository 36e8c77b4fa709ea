import type { Piece } from '../library/index.ts'
import type { Frame, Sink } from './frame.ts'

/**
 * Hands out the messages of an array (2025-03-26) and answers with one array when the last response is there.
 *
 * @param receive takes one message and says whether its sink will get a response
 * @returns whether there will be an answer; none if all were notifications
 */
export function collectBatch(values: readonly unknown[], sink: Sink, receive: (value: unknown, inner: Sink) => boolean): boolean {
  let frames: Frame[] = []
  let waiting = 0
  let handedOut = false
  let sending = openSending()
  const answer = (): void => {
    if (frames.length === 0) return sink.drop()
    const { settled, failed } = sending
    Promise.resolve(sink.respond(join(frames))).then(settled, (error: Error) => {
      // The array broke off half-way. Responses with bytes become errors, and those without are said again.
      waiting = frames.length
      frames = frames.filter((frame) => typeof frame === 'string')
      waiting -= frames.length
      sending = openSending()
      failed(error)
    })
  }
  const settle = (): void => {
    waiting--
    if (handedOut && waiting === 0) answer()
  }
  for (const value of values) {
    waiting++
    let open = true
    let dropped = false
    const inner: Sink = {
      maxFrame: Math.floor(sink.maxFrame / values.length),
      notify: (frame) => sink.notify(frame),
      respond: (frame) => {
        const { sent } = sending
        frames.push(frame)
        open = false
        settle()
        // Bytes are read while the array is sent, so what they come from is needed until then.
        if (typeof frame === 'string') return undefined
        return sent.catch((error: unknown) => {
          open = true
          if (dropped) inner.drop()
          throw error
        })
      },
      drop: () => {
        dropped = true
        if (!open) return
        open = false
        settle()
      },
    }
    if (!receive(value, inner)) waiting--
  }
  handedOut = true
  const answers = frames.length > 0 || waiting > 0
  if (answers && waiting === 0) answer()
  return answers
}

/** One attempt to send the array. */
interface Sending {
  readonly sent: Promise<void>
  readonly settled: () => void
  readonly failed: (error: Error) => void
}

function openSending(): Sending {
  let settled!: () => void
  let failed!: (error: Error) => void
  const sent = new Promise<void>((resolve, reject) => {
    settled = resolve
    failed = reject
  })
  sent.catch(() => undefined)
  return { sent, settled, failed }
}

function join(frames: readonly Frame[]): Frame {
  const pieces: Piece[] = ['[']
  frames.forEach((frame, index) => {
    if (index > 0) pieces.push(',')
    if (typeof frame === 'string') pieces.push(frame)
    else pieces.push(...frame)
  })
  pieces.push(']')
  return pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : pieces
}
