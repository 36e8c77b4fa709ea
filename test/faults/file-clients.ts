import { spawn } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { ShelfError } from '../../src/errors.ts'
import { localCall } from '../../src/library/index.ts'
import type { ByteSource } from '../../src/library/index.ts'
import { files } from '../../src/providers/files/index.ts'
import { CLI, endpoint, modern, MODERN, run } from '../e2e/command-line.ts'
import type { Wire } from '../e2e/command-line.ts'

/** What became of a read: the bytes, a refusal with its code, or an answer that broke off. */
export type Outcome = { readonly body: Buffer } | { readonly refused: string | number } | 'broken'

/** Somebody who reads the files of one folder as `file:///docs/...`. */
export interface FileClient {
  read(path: string): Promise<Outcome>
  /** How many files of the folder the server has open. */
  open(): number
}

const MAX = 5 * 1024 * 1024

/** Descriptors of a process that stand for something in a folder. */
export function descriptors(pid: number | 'self' | undefined, root: string): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith(root)
    } catch {
      // The descriptor that the directory was read with.
      return false
    }
  }).length
}

function outcomeOf({ result, error }: Wire): Outcome {
  if (error !== undefined) return { refused: error.code }
  const [contents] = result?.['contents'] as readonly { readonly text?: string; readonly blob?: string }[]
  if (contents?.blob !== undefined) return { body: Buffer.from(contents.blob, 'base64') }
  return { body: Buffer.from(contents?.text ?? 'no contents') }
}

async function readProvider(root: string): Promise<FileClient> {
  const provider = files({ root, name: 'docs' })
  const whole = async (source: Uint8Array | ByteSource) => {
    if ('byteLength' in source) return Buffer.from(source)
    const pieces: Uint8Array[] = []
    for await (const piece of source.open()) pieces.push(piece)
    return Buffer.concat(pieces)
  }
  return {
    async read(path) {
      try {
        const reading = await provider.read({ uri: `file:///docs/${path}`, maxBytes: MAX }, localCall())
        if (reading.kind !== 'contents') throw new Error(reading.kind)
        const [contents] = reading.contents
        try {
          if (contents === undefined) throw new Error('no contents')
          return { body: 'text' in contents ? Buffer.from(contents.text) : await whole(contents.bytes) }
        } finally {
          await reading[Symbol.asyncDispose]?.()
        }
      } catch (error) {
        if (error instanceof ShelfError) return { refused: error.code }
        throw error
      }
    },
    open: () => descriptors('self', root),
  }
}

async function readHttp(root: string): Promise<FileClient> {
  const server = run([CLI, 'serve', `docs=${root}`, '--http', '0'])
  const url = await endpoint(server)
  return {
    async read(path) {
      const uri = `file:///docs/${path}`
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': MODERN,
        'mcp-method': 'resources/read',
        'mcp-name': uri,
      }
      const body = JSON.stringify(modern(1, 'resources/read', { uri }))
      try {
        return outcomeOf((await (await fetch(url, { method: 'POST', headers, body })).json()) as Wire)
      } catch {
        return 'broken'
      }
    },
    open: () => descriptors(server.child.pid, root),
  }
}

async function readStdio(root: string): Promise<FileClient> {
  const server = spawn(process.execPath, [CLI, 'serve', `docs=${root}`], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void server.kill('SIGKILL'))
  const waiting = new Map<number, (outcome: Outcome) => void>()
  createInterface({ input: server.stdout }).on('line', (line) => {
    let message: Wire
    try {
      message = JSON.parse(line) as Wire
    } catch {
      // A line that breaks off; the next one says for whom.
      return
    }
    const id = Number(message.id)
    waiting.get(id)?.(outcomeOf(message))
    waiting.delete(id)
  })
  let last = 0
  return {
    read: (path) =>
      new Promise((resolve) => {
        waiting.set(++last, resolve)
        server.stdin.write(`${JSON.stringify(modern(last, 'resources/read', { uri: `file:///docs/${path}` }))}\n`)
      }),
    open: () => descriptors(server.pid, root),
  }
}

/** The provider itself, and a server of it on each transport. */
export const FILE_CLIENTS: readonly (readonly [name: string, open: (root: string) => Promise<FileClient>])[] = [
  ['files()', readProvider],
  ['serve over HTTP', readHttp],
  ['serve on stdio', readStdio],
]
