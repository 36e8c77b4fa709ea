/** Standard output, kept for messages alone. */
export interface StdoutGuard {
  /** Writes to the real standard output; false when it is full. */
  write(chunk: string | Uint8Array, done?: () => void): boolean
  /** Gives standard output back to everyone. */
  release(): void
}

/**
 * Points `process.stdout.write`, and with it `console.log`, at standard error, so that a stray print in a
 * handler does not break the protocol. Native code that writes to descriptor 1 by itself cannot be caught.
 */
export function guardStdout(): StdoutGuard {
  const { stdout, stderr } = process
  const real = stdout.write
  stdout.write = stderr.write.bind(stderr) as typeof real
  return {
    write: (chunk, done) => real.call(stdout, chunk as string, done as never),
    release: () => {
      stdout.write = real
    },
  }
}
