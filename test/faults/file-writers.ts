import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/**
 * Programs that change one file over and over, as fast as they can. Each body is one character many times, another one each
 * time, so that a mixture of two would show.
 */
export const FILE_WRITERS = {
  /** Cuts it to nothing and writes it again. */
  truncates: `for (let i = 0; ; i++) {
    fs.truncateSync(file, 0)
    for (let at = 0; at < 500_000; at += 50_000) fs.writeSync(fd, body(i, 50_000), 0, 50_000, at)
  }`,
  /** Appends to it without end, as far as the disk is concerned: it begins again at 64 MiB. */
  grows: `for (let size = 0; ; size += 100_000) {
    if (size > 64 * 1024 * 1024) fs.truncateSync(file, size = 0)
    fs.writeSync(fd, body(0, 100_000), 0, 100_000, size)
  }`,
  /** Puts another file in its place. */
  replaces: `for (let i = 0; ; i++) {
    fs.writeFileSync(file + '.next', body(i, i % 2 === 0 ? 400_000 : 300_000))
    fs.renameSync(file + '.next', file)
  }`,
  /** Moves it out of the way and begins a new one, which stays for a millisecond. */
  rotates: `for (let i = 0; ; i++) {
    fs.renameSync(file, file + '.1')
    fs.writeFileSync(file, body(i, 400_000))
    rest()
  }`,
  /** Removes it, and puts another one there later, which stays for a millisecond. */
  removes: `for (let i = 0; ; i++) {
    fs.rmSync(file)
    fs.writeFileSync(file + '.next', body(i, 400_000))
    fs.renameSync(file + '.next', file)
    rest()
  }`,
} as const

const PROGRAM = `
const fs = require('node:fs')
const [file] = process.argv.slice(1)
const body = (i, size) => Buffer.alloc(size, 'abcdefghijklmnopqrstuvwxyz'[i % 26])
const rest = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
fs.writeFileSync(file, body(25, 400_000))
const fd = fs.openSync(file, 'r+')
process.send('ready')
`

/** Has a process change a file until the test ends, or until what comes back is called. */
export async function changeFile(how: keyof typeof FILE_WRITERS, file: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['-e', PROGRAM + FILE_WRITERS[how], file], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const gone = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(stop)
  await Promise.race([once(child, 'message'), gone.then(() => Promise.reject(new Error('The writer did not start')))])
  return stop
}
