import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Client, ClientOptions, Connect } from '../../src/client/index.ts'
import { openClient } from '../../src/client/index.ts'
import { connectHttp } from '../../src/transports/http/index.ts'
import type { StdioConnection } from '../../src/transports/stdio/index.ts'
import { connectStdio } from '../../src/transports/stdio/index.ts'
import { CLI, endpoint, folderOfTest, run } from './command-line.ts'

/** A served folder with two files, and how to reach, kill, stop and continue its server. */
interface Watched {
  readonly folder: string
  readonly connect: Connect
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  /** Starts it again, where nobody else does. */
  again(): Promise<void>
}

function folder(): string {
  const path = folderOfTest()
  for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(join(path, name), 'one')
  return path
}

async function overStdio(): Promise<Watched> {
  const path = folder()
  let newest: StdioConnection | undefined
  return {
    folder: path,
    connect: () => (newest = connectStdio({ command: process.execPath, args: [CLI, 'serve', path], graceMs: 200 })),
    signal: (signal) => process.kill(newest!.pid!, signal),
    again: async () => undefined,
  }
}

async function overHttp(): Promise<Watched> {
  const path = folder()
  const start = (port: string) => run([CLI, 'serve', path, '--http', port])
  let program = start('0')
  const url = await endpoint(program)
  return {
    folder: path,
    connect: () => connectHttp(url),
    signal: (signal) => void program.child.kill(signal),
    again: async () => {
      await program.ended
      program = start(new URL(url).port)
      await endpoint(program)
    },
  }
}

async function watching(
  watched: Watched,
  options: ClientOptions,
): Promise<{ client: Client; events: string[]; uris: readonly string[] }> {
  const client = openClient(watched.connect, { livenessMs: 1_000, connectTimeoutMs: 5_000, ...options })
  onTestFinished(() => client.close())
  const uris: string[] = []
  for await (const { uri } of client.list()) if (!uri.endsWith('c.txt')) uris.push(uri)
  const watch = client.watch(uris)
  const events: string[] = []
  void (async () => {
    for await (const event of watch) events.push(`${event.kind} ${'uri' in event ? event.uri : ''}`)
  })()
  await watch.ready
  return { client, events, uris }
}

const states = (client: Client) => [...new Set(client.subscriptions().map(({ state }) => state))]
const PATIENT = { timeout: 15_000, interval: 50 }

describe.each([
  ['stdio', overStdio],
  ['HTTP', overHttp],
] as const)('a watched server over %s', (_name, open) => {
  it.each(['modern', 'legacy'] as const)('is followed again after kill -9 (%s)', async (era) => {
    const watched = await open()
    const { client, events, uris } = await watching(watched, { era })
    expect((await client.server()).era).toBe(era)
    writeFileSync(join(watched.folder, 'a.txt'), 'two')
    await expect.poll(() => events, PATIENT).toEqual([`updated ${uris[0]}`])
    for (let round = 0; round < 2; round++) {
      events.length = 0
      watched.signal('SIGKILL')
      await watched.again()
      await expect.poll(() => [events, states(client)], PATIENT).toEqual([uris.map((uri) => `resync ${uri}`), ['followed']])
      writeFileSync(join(watched.folder, 'b.txt'), `round ${round}`)
      await expect.poll(() => events.slice(2), PATIENT).toEqual([`updated ${uris[1]}`])
      expect(await client.readText(uris[1]!)).toBe(`round ${round}`)
    }
  })

  it('is left when it hangs, and followed when it answers again', async () => {
    const watched = await open()
    const { client, events, uris } = await watching(watched, { timeoutMs: 1_000 })
    watched.signal('SIGSTOP')
    await expect.poll(() => states(client), PATIENT).toEqual(['lost'])
    writeFileSync(join(watched.folder, 'a.txt'), 'while it hung')
    if (_name === 'HTTP') watched.signal('SIGCONT')
    await expect
      .poll(() => [[...new Set(events)], states(client)], PATIENT)
      .toEqual([uris.map((uri) => `resync ${uri}`), ['followed']])
    expect(await client.readText(uris[0]!)).toBe('while it hung')
    writeFileSync(join(watched.folder, 'b.txt'), 'after it hung')
    await expect.poll(() => events.at(-1), PATIENT).toBe(`updated ${uris[1]}`)
  })
})

describe('a client that is closed', () => {
  it('leaves no process behind, hung or not', async () => {
    for (const hang of [false, true]) {
      const path = folder()
      let connection: StdioConnection | undefined
      const client = openClient(
        () => (connection = connectStdio({ command: process.execPath, args: [CLI, 'serve', path], graceMs: 200 })),
      )
      const watch = client.watch('list')
      await watch.ready
      const pid = connection!.pid!
      if (hang) process.kill(pid, 'SIGSTOP')
      await client.close()
      expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    }
  })
})
