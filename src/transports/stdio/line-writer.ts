import type { Writable } from 'node:stream'
import { base64Chunks } from '../../runtime/index.ts'
import type { Frame } from '../../server/index.ts'

/** Text that waits for more than this is back-pressure. */
const HIGH_WATER = 1024 * 1024

interface Job {
  readonly frame: Exclude<Frame, string>
  readonly done: (error?: Error) => void
}

/**
 * Writes messages as lines, in order and whole. Small messages of one turn of the event loop leave in one
 * write: each write wakes the reader, which costs more than the message.
 */
export class LineWriter {
  readonly #out: Writable
  readonly #write: (chunk: string | Uint8Array, done?: () => void) => boolean
  #text = ''
  readonly #jobs: (Job | string)[] = []
  #busy = false
  #scheduled = false
  #dead = false
  /** Who waits for the stream to drain, and who waits for everything to be written. */
  #draining: (() => void)[] = []
  #waiting: (() => void)[] = []

  /** @param write how to write, where `out.write` itself is pointed elsewhere */
  constructor(
    out: Writable,
    write: (chunk: string | Uint8Array, done?: () => void) => boolean = (chunk, done) => out.write(chunk, done),
  ) {
    this.#out = out
    this.#write = write
    out.on('drain', () => release(this.#draining))
    out.on('close', () => this.stop())
  }

  /** Settles when everything is written, or never will be. */
  room(): Promise<void> {
    if (this.#dead || (this.#text === '' && this.#jobs.length === 0 && !this.#busy)) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  /** A promise when the channel is full; it settles when there is room again. */
  write(frame: Frame): void | Promise<void> {
    if (this.#dead) return undefined
    if (typeof frame === 'string') {
      this.#text += `${frame}\n`
      this.#schedule()
      if (this.#text.length < HIGH_WATER && this.#jobs.length === 0 && !this.#out.writableNeedDrain) return undefined
      // What waits is not joined without end: a string has a greatest length.
      if (this.#text.length >= HIGH_WATER) this.#cut()
      return this.room()
    }
    return new Promise((resolve, reject) => {
      this.#cut()
      this.#jobs.push({
        frame,
        done: (error) => {
          if (error === undefined) resolve()
          else reject(error)
        },
      })
      this.#schedule()
    })
  }

  /** Settles when everything is handed to the operating system, or cannot be. */
  async flush(): Promise<void> {
    while (!this.#dead && (this.#text !== '' || this.#jobs.length > 0 || this.#busy)) {
      this.#schedule()
      await this.room()
    }
    if (this.#dead || this.#out.writableLength === 0) return
    await new Promise<void>((resolve) => {
      this.#write('', () => resolve())
      this.#out.once('close', () => resolve())
    })
  }

  /** Nobody reads any more. */
  stop(): void {
    this.#dead = true
    this.#text = ''
    for (const job of this.#jobs.splice(0)) if (typeof job !== 'string') job.done()
    release(this.#draining)
    release(this.#waiting)
  }

  /** Text so far goes before what comes next. */
  #cut(): void {
    if (this.#text === '') return
    this.#jobs.push(this.#text)
    this.#text = ''
  }

  #schedule(): void {
    if (this.#scheduled || this.#busy) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    if (this.#busy || this.#dead) return
    this.#busy = true
    try {
      for (;;) {
        if (this.#out.writableNeedDrain) await this.#room()
        if (this.#dead) return
        this.#cut()
        const job = this.#jobs.shift()
        if (job === undefined) return
        if (typeof job === 'string') this.#write(job)
        else await this.#send(job)
      }
    } finally {
      this.#busy = false
      release(this.#waiting)
    }
  }

  async #send(job: Job): Promise<void> {
    try {
      for (const piece of job.frame) {
        if (typeof piece === 'string') {
          this.#write(piece)
          continue
        }
        for await (const chunk of base64Chunks(piece.bytes)) {
          if (this.#dead) break
          if (!this.#write(chunk)) await this.#room()
        }
      }
      this.#write('\n')
      job.done()
    } catch (error) {
      // The line is broken off: it ends here, unfinished JSON, and the caller says in a new one what happened.
      this.#write('\n')
      job.done(error instanceof Error ? error : new Error('a source of bytes failed', { cause: error }))
    }
  }

  #room(): Promise<void> {
    if (this.#dead || !this.#out.writableNeedDrain) return Promise.resolve()
    return new Promise((resolve) => {
      this.#draining.push(resolve)
    })
  }
}

function release(waiting: (() => void)[]): void {
  for (const resolve of waiting.splice(0)) resolve()
}
