import { base64Chunks } from '../../runtime/index.ts'
import type { Frame } from '../../server/index.ts'
import type { UnreadAnswer } from './unread.ts'

/** Text of more UTF-16 units is handed on in parts of so many, so that it is encoded as it is read. */
export const LONG_TEXT = 256 * 1024

/** The body of one answer on its way out, at the pace of whoever reads it. */
export interface Outlet {
  /** Nothing more will be taken: it has ended, or whoever read it is gone. */
  readonly gone: boolean
  /** Nothing more should be written until there is room. */
  readonly full: boolean
  /** False when it is full now. */
  write(chunk: string | Uint8Array): boolean
  /** Settles when there is room, or when it is gone. */
  room(): Promise<void>
  end(): void
  /** Ends it so that the reader knows it is not whole. */
  break(): void
  /** Tells that a frame is held until the reader has it. */
  hold(frame: Frame): UnreadAnswer
  /** Calls back once it is gone, which it is not yet. */
  whenGone(call: () => void): void
}

/** Pieces one after the other, as fast as they are read. False when the reader is gone, or the bytes ran out early. */
export async function writePieces(outlet: Outlet, pieces: Exclude<Frame, string>): Promise<boolean> {
  const held = outlet.hold(pieces)
  try {
    for (const piece of pieces) {
      if (typeof piece === 'string') {
        for (const part of partsOf(piece)) {
          if (outlet.gone) return false
          if (!outlet.write(part)) await outlet.room()
          held.moved()
        }
        continue
      }
      for await (const chunk of base64Chunks(piece.bytes)) {
        if (outlet.gone) return false
        if (!outlet.write(chunk)) await outlet.room()
        held.moved()
      }
    }
    return !outlet.gone
  } catch {
    // The length was promised: only a body that breaks off tells the client that this is not the whole.
    outlet.break()
    return false
  } finally {
    held.gone()
  }
}

/** Text in parts that do not cut a character of two UTF-16 units. */
function* partsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + LONG_TEXT)
    if (end < text.length && text.codePointAt(end - 1)! > 0xffff) end--
    yield text.slice(start, end)
    start = end
  }
}
