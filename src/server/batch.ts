import type { Piece } from '../library/index.ts'
import type { Frame, Sink } from './frame.ts'

/**
 * Hands out the messages of an array (2025-03-26) and answers with one array when the last response is there.
 *
 * @param receive takes one message and says whether its sink will get a response
 * @returns whether there will be an answer; none if all were notifications
 */
export function collectBatch(values: readonly unknown[], sink: Sink, receive: (value: unknown, inner: Sink) => boolean): boolean {
  const frames: Frame[] = []
  let waiting = 0
  let handedOut = false
  const settle = (): void => {
    waiting--
    if (handedOut && waiting === 0) answer(frames, sink)
  }
  for (const value of values) {
    waiting++
    const inner: Sink = {
      maxFrame: Math.floor(sink.maxFrame / values.length),
      notify: (frame) => sink.notify(frame),
      respond: (frame) => {
        frames.push(frame)
        settle()
      },
      drop: settle,
    }
    if (!receive(value, inner)) waiting--
  }
  handedOut = true
  const answers = frames.length > 0 || waiting > 0
  if (answers && waiting === 0) answer(frames, sink)
  return answers
}

function answer(frames: readonly Frame[], sink: Sink): void {
  if (frames.length === 0) {
    sink.drop()
    return
  }
  const pieces: Piece[] = ['[']
  frames.forEach((frame, index) => {
    if (index > 0) pieces.push(',')
    if (typeof frame === 'string') pieces.push(frame)
    else pieces.push(...frame)
  })
  pieces.push(']')
  void sink.respond(pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : pieces)
}
