import { outliveStderr } from '../../runtime/index.ts'

/** Standard output, kept for messages alone. */
export interface StdoutGuard {
  /** Writes to the real standard output; false when it is full. */
  readonly write: (chunk: string | Uint8Array, done?: () => void) => boolean
  /** Gives standard output back to everyone. */
  readonly release: () => void
}

/**
 * Points `process.stdout.write`, and with it `console.log`, at standard error, so that a stray print in a
 * handler does not break the protocol. Native code that writes to descriptor 1 by itself cannot be caught.
 */
export function guardStdout(): StdoutGuard {
  const { stdout, stderr } = process
  outliveStderr()
  // oxlint-disable-next-line unbound-method -- put back as it was
  const original = stdout.write
  const real = original.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  return {
    write: (chunk, done) => real(chunk, done),
    release: () => {
      stdout.write = original
    },
  }
}
