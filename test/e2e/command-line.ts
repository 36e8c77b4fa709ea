import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, onTestFinished } from 'vitest'

/** The bundled command line, as it is published. */
export const CLI = fileURLToPath(new URL('../../dist/bin/shelfmark.js', import.meta.url))

/** A file beside the tests. */
export const beside = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => {
    server.close(resolve)
  })
  return port
}

/** A new folder, and how to take it away. */
function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'shelfmark-e2e-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** A new folder that goes with the tests of this file. */
export function folderOfFile(): string {
  const { path, remove } = temporaryFolder()
  afterAll(remove)
  return path
}

/** A new folder that goes with the test. */
export function folderOfTest(): string {
  const { path, remove } = temporaryFolder()
  onTestFinished(remove)
  return path
}

export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

/** A process and what it printed; ended with the test at the latest. */
export class Program {
  readonly child: ChildProcessWithoutNullStreams
  stdout = ''
  stderr = ''
  readonly ended: Promise<Ended>
  readonly #waiting = new Set<() => void>()

  /** @param args what follows `node` */
  constructor(
    args: readonly string[],
    options: { readonly read?: boolean; readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
  ) {
    this.child = spawn(process.execPath, args, { env: options.env ?? process.env, cwd: options.cwd })
    this.child.stdin.on('error', () => undefined)
    this.child.stdout.setEncoding('utf8')
    this.child.stderr.setEncoding('utf8')
    if (options.read !== false) this.read()
    this.child.stderr.on('data', (text: string) => {
      this.stderr += text
      this.#tell()
    })
    this.ended = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr })
        this.#tell()
      })
    })
  }

  /** Begins to take standard output. */
  read(): void {
    this.child.stdout.on('data', (text: string) => {
      this.stdout += text
      this.#tell()
    })
  }

  /** Messages on standard output so far: every line must be one. */
  get messages(): readonly Wire[] {
    const lines = this.stdout.split('\n').slice(0, -1)
    return lines.map((line) => JSON.parse(line) as Wire)
  }

  send(...messages: readonly (object | string)[]): void {
    this.child.stdin.write(
      messages.map((message) => `${typeof message === 'string' ? message : JSON.stringify(message)}\n`).join(''),
    )
  }

  /** What `find` finds, looked for again with every output. */
  async until<T>(find: (program: this) => T | undefined, ms = 10_000): Promise<T> {
    const deadline = Date.now() + ms
    for (;;) {
      const found = find(this)
      if (found !== undefined) return found
      const left = deadline - Date.now()
      if (left <= 0 || this.child.exitCode !== null) {
        throw new Error(`Not seen: ${String(find)}\nstdout: ${this.stdout.slice(0, 2_000)}\nstderr: ${this.stderr}`)
      }
      await new Promise<void>((resolve) => {
        const go = (): void => {
          clearTimeout(timer)
          this.#waiting.delete(go)
          resolve()
        }
        const timer = setTimeout(go, left)
        this.#waiting.add(go)
      })
    }
  }

  /** The response to an id. */
  answer(id: number | string, ms?: number): Promise<Wire> {
    return this.until(() => this.messages.find((message) => message.id === id && message.method === undefined), ms)
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL')
    await this.ended
  }

  #tell(): void {
    for (const go of this.#waiting) go()
  }
}

export interface Wire {
  readonly jsonrpc: string
  readonly id?: number | string
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Starts node with these arguments; killed with the test if it has not ended. */
export function run(args: readonly string[], options?: ConstructorParameters<typeof Program>[1]): Program {
  const program = new Program(args, options)
  onTestFinished(() => program.stop())
  return program
}

/** The endpoint that a server prints when it listens. */
export function endpoint(program: Program): Promise<string> {
  return program.until(({ stderr, stdout }) => /^https?:\S+$/m.exec(stderr + stdout)?.[0])
}

export const MODERN = '2026-07-28'

/** A modern request. */
export function modern(id: number, method: string, params: object = {}): object {
  return {
    jsonrpc: '2.0',
    id,
    method,
    params: {
      ...params,
      _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} },
    },
  }
}

/** The two messages that open the legacy era. */
export function opening(id: number | string): readonly object[] {
  return [
    {
      jsonrpc: '2.0',
      id,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ]
}
