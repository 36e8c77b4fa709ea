import { ShelfError } from 'shelfmark'
import type { ResourceHandler } from 'shelfmark'

/** A log that only grows: how long it is, and under which version, is known without reading it. */
export interface Log {
  state(): Promise<{ readonly version: string; readonly size: number }>
  bytes(start: number, length: number): Promise<Uint8Array>
}

export function logHandler(uri: string, log: Log): ResourceHandler {
  return async ({ range, ifVersion, maxBytes }) => {
    const { version, size } = await log.state()
    if (ifVersion === version) return { kind: 'unchanged', version }
    const offset = Math.min(range?.offset ?? 0, size)
    const length = Math.min(range?.length ?? size, size - offset)
    if (length > maxBytes) {
      throw new ShelfError('too-large', `That is ${length} bytes, the limit is ${maxBytes}`, { size: length, limit: maxBytes })
    }
    const bytes = await log.bytes(offset, length)
    const reading = { kind: 'contents', contents: [{ uri, mimeType: 'text/plain', bytes }], version }
    return range === undefined ? reading : { ...reading, range: { offset, length, total: size } }
  }
}
