import { writeSync } from 'node:fs'
import { ShelfError } from '../errors.ts'
import type { AuditSink } from '../library/index.ts'
import { requireCount, systemClock } from '../library/index.ts'
import type { Clock } from '../protocol/index.ts'
import { RotatedFile } from './rotated-file.ts'
import { writeStderr } from './stderr.ts'

/** How long lines are gathered before they are written, in milliseconds. */
const GATHER_MS = 50
/** Characters of lines that wait for the disk. More are lost: an audit must not become memory. */
const MOST_WAITING = 4 * 1024 * 1024
/** Bytes that are written at once: each takes some turns of the event loop, of which a busy process has few. */
const PIECE = 1024 * 1024
const WARN_EVERY_MS = 60_000

export interface AuditFileOptions {
  /** The most bytes of one file. Default 10 MiB. */
  readonly maxBytes?: number
  /** How many files there are at most: the one that is written, and `.1` and so on, which are older. Default 5. */
  readonly files?: number
  /** Told that lines were lost, at most once a minute. Default: standard error. */
  readonly warn?: (message: string) => void
  /** Default: the clock of this machine. */
  readonly clock?: Clock
}

/** A file of audit lines. */
export interface AuditFile extends AuditSink, AsyncDisposable {
  /** How many lines could not be written. */
  readonly lost: number
  /** Writes what waits, and closes the file. Lines that come later are lost. */
  close(): Promise<void>
}

/**
 * Opens a file for `audit({ sink })`: appended to, readable by its owner alone, rotated by size. Lines are gathered for up to
 * 50 ms and written beside what else is done; they are written at once when the process exits. A disk that is full loses
 * lines and keeps nobody from reading; once there is room again, a line says how many were lost.
 *
 * @throws ShelfError `invalid-option` for limits that are none, and for what cannot be opened: a link, a pipe, a folder
 */
export async function openAuditFile(path: string, options: AuditFileOptions = {}): Promise<AuditFile> {
  const { maxBytes = 10 * 1024 * 1024, files = 5 } = options
  requireCount('maxBytes', maxBytes, 1)
  requireCount('files', files, 1)
  const file = new RotatedFile(path, maxBytes, files)
  try {
    await file.open()
  } catch (error) {
    const { message } = ShelfError.from(error)
    throw new ShelfError(
      'invalid-option',
      `The audit cannot be written to ${path}: ${message}`,
      { option: 'path' },
      { cause: error },
    )
  }
  return new OpenAuditFile(path, file, Math.min(PIECE, maxBytes), options)
}

class OpenAuditFile implements AuditFile {
  readonly #path: string
  readonly #file: RotatedFile
  readonly #piece: number
  readonly #warn: (message: string) => void
  readonly #clock: Clock
  /** Lines that wait, each with its end. */
  #lines: string[] = []
  #waiting = 0
  /** Lines that are being written, but for those that the system has. */
  #batch: string[] = []
  #queued = false
  #gathering: (() => void) | undefined
  #writing: Promise<void> = Promise.resolve()
  #lost = 0
  /** Lost lines that no line of the file tells of, and that no warning told of. */
  #owed = 0
  #unsaid = 0
  #why = ''
  #warnedAt = -Infinity
  #closing: Promise<void> | undefined

  constructor(path: string, file: RotatedFile, piece: number, { warn, clock }: AuditFileOptions) {
    this.#path = path
    this.#file = file
    this.#piece = piece
    this.#warn = warn ?? ((message) => writeStderr(`shelfmark: ${message}\n`))
    this.#clock = clock ?? systemClock
    process.on('exit', this.#onExit)
  }

  get lost(): number {
    return this.#lost
  }

  write(line: string): void {
    if (this.#closing !== undefined) {
      this.#lost++
      return
    }
    if (this.#waiting + line.length > MOST_WAITING) {
      this.#lose(1, `${MOST_WAITING} characters wait already`)
      return
    }
    this.#lines.push(`${line}\n`)
    this.#waiting += line.length + 1
    this.#gathering ??= this.#clock.after(GATHER_MS, () => {
      this.#gathering = undefined
      this.#flush()
    })
  }

  close(): Promise<void> {
    return (this.#closing ??= (async () => {
      this.#gathering?.()
      this.#flush()
      await this.#writing
      if (this.#owed > 0) await this.#put([])
      process.off('exit', this.#onExit)
      this.#tell()
      await this.#file.close()
    })())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Writes what waits, after what is being written. */
  #flush(): void {
    if (this.#queued) return
    this.#queued = true
    this.#writing = this.#writing.then(async () => {
      this.#queued = false
      this.#batch = this.#lines
      this.#lines = []
      this.#waiting = 0
      while (this.#batch.length > 0) await this.#put(this.#batch.splice(0, this.#fitting(this.#batch)))
    })
  }

  /** How many of these lines are written at once: one at least. */
  #fitting(lines: readonly string[]): number {
    let [count, bytes] = [0, 0]
    for (const line of lines) {
      bytes += Buffer.byteLength(line)
      if (count > 0 && bytes > this.#piece) break
      count++
    }
    return count
  }

  /** Writes lines, after one that tells of those that were lost before. */
  async #put(lines: readonly string[]): Promise<void> {
    const owed = this.#owed
    const telling = owed === 0 ? [] : [lostLine(this.#clock.wall(), owed)]
    const bytes = Buffer.from([...telling, ...lines].join(''))
    const { written, error } = await this.#file.append(bytes)
    const whole = written === bytes.length ? telling.length + lines.length : linesIn(bytes.subarray(0, written))
    if (whole >= telling.length) this.#owed -= owed
    if (error === undefined) return
    this.#lose(lines.length - Math.max(0, whole - telling.length), ShelfError.from(error).message)
  }

  #lose(lines: number, why: string): void {
    this.#lost += lines
    this.#owed += lines
    this.#unsaid += lines
    this.#why = why
    if (this.#clock.monotonic() - this.#warnedAt >= WARN_EVERY_MS) this.#tell()
  }

  #tell(): void {
    if (this.#unsaid === 0) return
    this.#warnedAt = this.#clock.monotonic()
    const lines = this.#unsaid === 1 ? '1 line' : `${this.#unsaid} lines`
    this.#unsaid = 0
    this.#warn(`audit: ${lines} lost, ${JSON.stringify(this.#path)} cannot be written: ${this.#why}`)
  }

  readonly #onExit = (): void => {
    const left = [...this.#batch, ...this.#lines].join('')
    if (left === '' || this.#file.fd === undefined) return
    try {
      writeSync(this.#file.fd, left)
    } catch {
      // The process is at its end: there is nobody to tell.
    }
  }
}

function lostLine(time: number, lines: number): string {
  return `{"time":"${new Date(time).toISOString()}","operation":"audit","outcome":"lost","lines":${lines}}\n`
}

function linesIn(bytes: Uint8Array): number {
  let lines = 0
  for (const byte of bytes) if (byte === 10) lines++
  return lines
}
