import type { Load } from './load.ts'
import { idPlace, Ids } from './load.ts'
import type { Program } from './program.ts'
import { nextLine } from './program.ts'

/** Sends one message and reads the line that answers it. */
export async function askLine(server: Program, message: object): Promise<string> {
  const answer = nextLine(server)
  server.stdin.write(`${JSON.stringify(message)}\n`)
  return answer
}

/** Sends a message that is not answered. */
export function tellLine(server: Program, message: object): void {
  server.stdin.write(`${JSON.stringify(message)}\n`)
}

/**
 * Keeps a window of requests open: as many as were answered by one chunk are sent in one write. Every answer must
 * have the size that the first one had.
 *
 * @param size bytes of an answer, its newline included
 */
export function driveLines(server: Program, request: Buffer, size: number, window: number): Load {
  const place = idPlace(request)
  const ids = new Ids()
  let done = 0
  let failure: Error | undefined
  let stopped = false
  const send = (count: number): void => {
    const bytes = Buffer.allocUnsafe(request.length * count)
    for (let i = 0; i < count; i++) {
      request.copy(bytes, i * request.length)
      ids.patch(bytes, i * request.length + place)
    }
    server.stdin.write(bytes)
  }
  /** Bytes of the answer that has begun. */
  let held = 0
  const onData = (chunk: Buffer): void => {
    let answered = 0
    let end = size - held
    for (; end <= chunk.length; end += size) {
      if (chunk[end - 1] !== 0x0a) {
        failure ??= new Error(`An answer without a newline after ${size} bytes: ${chunk.toString('utf8', 0, 500)}`)
        return
      }
      answered++
    }
    held = chunk.length - (end - size)
    done += answered
    if (answered > 0 && !stopped) send(answered)
  }
  server.stdout.on('data', onData)
  server.stdout.resume()
  server.once('exit', (code) => {
    if (!stopped) failure ??= new Error(`The server ended with ${code}`)
  })
  send(window)
  return {
    get done() {
      return done
    },
    get failure() {
      return failure
    },
    stop: () => {
      stopped = true
      server.stdout.off('data', onData)
    },
  }
}
