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
  /** Of the text of all jobs. */
  #jobsLength = 0
  readonly #jobs: (Job | string)[] = []
  #busy = false
  #scheduled = false
  #dead = false
  /** Who waits for the stream to drain, for less to wait, and for everything to be written. */
  #draining: (() => void)[] = []
  #lowering: (() => void)[] = []
  #waiting: (() => void)[] = []

  /** @param write how to write, where `out.write` itself is pointed elsewhere */
  constructor(
    out: Writable,
    write: (chunk: string | Uint8Array, done?: () => void) => boolean = (chunk, done) => out.write(chunk, done),
  ) {
    this.#out = out
    this.#write = write
    out.on('drain', () => {
      release(this.#draining)
      release(this.#lowering)
    })
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
      this.#push({
        frame,
        done: (error) => {
          if (error === undefined) resolve()
          else reject(error)
        },
      })
      this.#schedule()
    })
  }

  /** How much text waits to be read, here and in the stream; bytes count once they are text. */
  get backlog(): number {
    return this.#dead ? 0 : this.#text.length + this.#jobsLength + this.#out.writableLength
  }

  /** Settles when no more than this waits to be read, or nobody reads any more. */
  async below(backlog: number): Promise<void> {
    while (this.backlog > backlog) {
      await new Promise<void>((resolve) => {
        this.#lowering.push(resolve)
      })
    }
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
    release(this.#lowering)
    release(this.#waiting)
  }

  /** Text so far goes before what comes next. */
  #cut(): void {
    if (this.#text === '') return
    this.#push(this.#text)
    this.#text = ''
  }

  #push(job: Job | string): void {
    this.#jobs.push(job)
    this.#jobsLength += textLength(job)
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
        this.#jobsLength -= textLength(job)
        if (typeof job === 'string') this.#write(job)
        else await this.#send(job)
      }
    } finally {
      this.#busy = false
      release(this.#lowering)
      release(this.#waiting)
    }
  }

  async #send(job: Job): Promise<void> {
    // Text waits for the bytes behind it, so that a source which fails at once leaves no half of a line.
    let text = ''
    let begun = false
    try {
      for (const piece of job.frame) {
        if (typeof piece === 'string') {
          text += piece
          continue
        }
        for await (const chunk of base64Chunks(piece.bytes)) {
          if (this.#dead) break
          if (text !== '') this.#write(text)
          text = ''
          begun = true
          if (!this.#write(chunk)) await this.#room()
        }
      }
      this.#write(`${text}\n`)
      job.done()
    } catch (error) {
      // The line is broken off: it ends here, unfinished JSON, and the caller says in a new one what happened.
      if (begun) this.#write('\n')
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

/** Without bytes, which begin to leave when they are looked at. */
function textLength(job: Job | string): number {
  if (typeof job === 'string') return job.length
  return job.frame.reduce((sum, piece) => sum + (typeof piece === 'string' ? piece.length : 0), 0)
}

function release(waiting: (() => void)[]): void {
  for (const resolve of waiting.splice(0)) resolve()
}
