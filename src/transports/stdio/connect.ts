import { isUtf8 } from 'node:buffer'
import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import type { ClientTransport } from '../../client/index.ts'
import { ShelfError } from '../../errors.ts'
import { WIRE_ERRORS } from '../../protocol/index.ts'
import { ErrorGate, printable, within } from '../../runtime/index.ts'
import { idOfDropped } from './dropped-answer.ts'
import { endOfServer, exitOf, startFailure } from './end-of-server.ts'
import { LineReader } from './line-reader.ts'
import type { DroppedLine } from './line-reader.ts'
import { ProcessGroup } from './process-group.ts'
import { spawnEnvironment } from './spawn-environment.ts'
import { StderrTail } from './stderr-tail.ts'

const MAX_FRAME = 10 * 1024 * 1024
const STDERR_TAIL = 64 * 1024
const GRACE_MS = 2_000
/** What its last output gets to arrive after a server has exited, and its exit after its output has ended. */
const LAST_MS = 300
/** Of a line that is no message, in a report. */
const EXCERPT = 80
/** More lines in a second than this that are no messages end the connection. */
const MOST_ODD = 20_000
/** How long messages may keep everything else from happening, in milliseconds. */
const TURN_MS = 20

export interface StdioConnectOptions {
  /** The program, as it is: no shell looks at it. A name without a slash is searched in `PATH`. */
  readonly command: string
  readonly args?: readonly string[]
  /** Goes before what the server inherits: `PATH`, `HOME` and what else a program cannot do without. Undefined takes a variable away. */
  readonly env?: { readonly [name: string]: string | undefined }
  /** Default: our own. */
  readonly cwd?: string
  /** The longest line that the server may write, in bytes. Longer ones are dropped. Default 10 MiB. */
  readonly maxFrame?: number
  /** What the server writes on standard error, as it comes. */
  readonly onStderr?: (text: string) => void
  /** How long the server may take to end when its input has, and then after SIGTERM, in milliseconds. Default 2 seconds each. */
  readonly graceMs?: number
}

/** A connection to a server that is a process of ours. */
export interface StdioConnection extends ClientTransport {
  /** The end of what the server wrote on standard error, 64 KiB at most. */
  readonly stderr: string
  /** Once it is started. */
  readonly pid: number | undefined
}

/**
 * Starts a server and connects to it over its standard streams (basic/transports/stdio). It ends, with all processes that
 * it started, when the connection is closed and at the latest with our own process.
 *
 * @throws ShelfError `invalid-option` for a command, arguments or variables that no program can be given
 */
export function connectStdio(options: StdioConnectOptions): StdioConnection {
  if (options.command === '') throw invalid('command', 'A command is missing')
  const texts = [options.command, ...(options.args ?? []), ...Object.entries(options.env ?? {}).flat(), options.cwd]
  if (texts.some((text) => text?.includes('\0'))) throw invalid('command', 'No program can be given a NUL character')
  return new OpenStdioConnection(options)
}

class OpenStdioConnection implements StdioConnection {
  onmessage: ClientTransport['onmessage']
  onclose: ClientTransport['onclose']
  onerror: ClientTransport['onerror']
  closeReason: ShelfError | undefined
  readonly #options: StdioConnectOptions
  readonly #tail = new StderrTail(STDERR_TAIL)
  readonly #errors = new ErrorGate((error) => this.onerror?.(error))
  #child: ChildProcessWithoutNullStreams | undefined
  #group: ProcessGroup | undefined
  #state: 'new' | 'open' | 'over' = 'new'
  #closing: Promise<void> | undefined
  #ending: Promise<void> | undefined
  /** Who waits for the server to read. */
  #draining: (() => void)[] = []

  constructor(options: StdioConnectOptions) {
    this.#options = options
  }

  get stderr(): string {
    return this.#tail.text
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  async start(): Promise<void> {
    if (this.#closing !== undefined) throw this.#unavailable()
    if (this.#child !== undefined) throw new ShelfError('invalid-request', 'A connection is started once', {})
    const { command, args = [], env, cwd } = this.#options
    try {
      this.#child = spawn(command, args, {
        env: spawnEnvironment(env),
        cwd,
        stdio: ['pipe', 'pipe', 'pipe'],
        shell: false,
        // A group of its own, so that all of it can be ended; a terminal's Ctrl+C then reaches us alone.
        detached: process.platform !== 'win32',
        windowsHide: true,
      })
      await started(this.#child)
    } catch (error) {
      this.#state = 'over'
      this.closeReason = startFailure(error, command, cwd, cwd === undefined || existsSync(cwd))
      throw this.closeReason
    }
    this.#group = new ProcessGroup(this.#child)
    if (this.#closed) {
      await this.#end()
      throw this.#unavailable()
    }
    this.#state = 'open'
    this.#listen(this.#child)
  }

  async send(message: unknown): Promise<void> {
    const stdin = this.#child?.stdin
    if (this.#closed || stdin === undefined) throw this.#unavailable()
    // What is sent in one turn leaves in one write.
    stdin.cork()
    process.nextTick(() => stdin.uncork())
    if (stdin.write(`${JSON.stringify(message)}\n`)) return
    await new Promise<void>((resolve) => {
      this.#draining.push(resolve)
    })
    if (this.#closed) throw this.#unavailable()
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      if (this.#state === 'open') await this.#end()
      else await this.#ending
    })()
    return this.#closing
  }

  /** Nothing goes in or out any more. */
  get #closed(): boolean {
    return this.#state === 'over' || this.#closing !== undefined
  }

  #unavailable(): ShelfError {
    return this.closeReason ?? new ShelfError('unavailable', 'The connection is not open', {})
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    const reader = this.#reader()
    const { stdin, stdout, stderr } = child
    /** When the messages of this turn of the event loop began. */
    let turn: number | undefined
    stdout.on('data', (chunk: Buffer) => {
      if (turn === undefined) {
        turn = performance.now()
        setImmediate(() => {
          turn = undefined
          stdout.resume()
        })
      }
      reader.push(chunk)
      // A server that never stops talking leaves time for others.
      if (performance.now() - turn > TURN_MS) stdout.pause()
    })
    const decoder = new StringDecoder('utf8')
    stderr.on('data', (chunk: Buffer) => {
      this.#tail.push(chunk)
      if (this.#options.onStderr === undefined) return
      const text = decoder.write(chunk)
      if (text !== '') this.#hand(() => this.#options.onStderr?.(text))
    })
    stdin.on('drain', () => release(this.#draining))
    const closed = new Promise<void>((resolve) => {
      child.once('close', () => resolve())
    })
    const exited = new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => resolve(exitOf(code, signal)))
    })
    const lost = (what: string): void => {
      // An exit tells more than the end of a stream, and comes with it.
      void within(exited, LAST_MS, `${what}, and goes on running`).then((reason) => this.#lose(reason, closed))
    }
    stdin.on('error', () => lost('server closed its standard input'))
    stdout.once('end', () => {
      reader.end()
      lost('server closed its standard output')
    })
    stdout.on('error', () => lost('the standard output of the server cannot be read'))
    stderr.on('error', () => undefined)
    void exited.then((reason) => this.#lose(reason, closed))
  }

  #reader(): LineReader {
    const { maxFrame = MAX_FRAME } = this.#options
    return new LineReader(
      maxFrame,
      (line) => {
        if (!this.#closed) this.#receive(line)
      },
      (size, line) => {
        if (idOfDropped(line.head, undefined) === undefined) this.#answerDropped(size, line)
      },
      (size, line) => {
        const text = `The server writes a line of more than ${maxFrame} bytes, which is dropped`
        this.#errors.push(new ShelfError('too-large', text, { size, limit: maxFrame }))
        this.#answerDropped(size, line)
      },
    )
  }

  /** Whoever waits for an answer that is dropped is told so, in the words of a server that does not send it. */
  #answerDropped(size: number, { head, tail }: DroppedLine): void {
    const { maxFrame = MAX_FRAME } = this.#options
    const id = idOfDropped(head, tail)
    if (id === undefined || this.#closed) return
    const message = `The answer has more than ${maxFrame} bytes and was dropped`
    const { modern: code } = WIRE_ERRORS['too-large']
    this.#hand(() => this.onmessage?.({ jsonrpc: '2.0', id, error: { code, message, data: { size, limit: maxFrame } } }))
  }

  #receive(line: Buffer): void {
    const message = decode(line)
    if (message === undefined) {
      const excerpt = printable(line.toString('utf8', 0, EXCERPT))
      const text = `The server wrote a line that is no message: "${excerpt}${line.length > EXCERPT ? '...' : ''}"`
      this.#errors.push(new ShelfError('parse-error', text, {}))
      if (this.#errors.held >= MOST_ODD) this.#lose('server writes lines that are no messages, without end', Promise.resolve())
      return
    }
    this.#hand(() => this.onmessage?.(message))
  }

  /** What our owner does with something must not become an exception that nobody handles. */
  #hand(over: () => void): void {
    try {
      over()
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /** The server is gone, or as good as gone. */
  #lose(what: string, closed: Promise<void>): void {
    if (this.#state !== 'open' || this.#ending !== undefined) return
    this.#ending = (async () => {
      // What it wrote before is still on its way.
      await within(closed, LAST_MS, undefined)
      if (this.#closing === undefined) this.closeReason = endOfServer(what, this.stderr)
      const group = this.#group?.end(this.#options.graceMs ?? GRACE_MS)
      if (this.#closing === undefined) this.#finish()
      await group
    })()
  }

  /** Ends the server. */
  async #end(): Promise<void> {
    this.#child?.stdin.end()
    release(this.#draining)
    await this.#group?.end(this.#options.graceMs ?? GRACE_MS)
    await this.#ending
    this.#finish()
  }

  #finish(): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    release(this.#draining)
    this.#errors.close()
    // Somebody who left the group may hold the other ends, and would keep our process alive.
    for (const stream of [this.#child?.stdin, this.#child?.stdout, this.#child?.stderr]) stream?.destroy()
    this.onclose?.()
  }
}

const SPACE = 0x20
const BRACE = 0x7b
const BRACKET = 0x5b

/** The message of a line; undefined for what is none. */
function decode(line: Buffer): unknown {
  // Most of what is none, such as a log, is known by how it begins; an exception costs a hundred times as much.
  const begin = line[line.findIndex((byte) => byte > SPACE)]
  if ((begin !== BRACE && begin !== BRACKET) || !isUtf8(line)) return undefined
  try {
    const value: unknown = JSON.parse(line.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function started(child: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.on('error', reject)
  })
}

function invalid(option: string, message: string): ShelfError {
  return new ShelfError('invalid-option', message, { option })
}

function release(waiting: (() => void)[]): void {
  for (const resolve of waiting.splice(0)) resolve()
}
