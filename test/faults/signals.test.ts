import { execFileSync } from 'node:child_process'
import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import type { ClientRequest } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLI, endpoint, folderOfTest, modern, opening, run } from '../e2e/command-line.ts'
import type { Program } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import { collect, events, messagesIn, openSession, openStream, post, responseTo, runHttp, runWire, told } from './wire.ts'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

const LISTEN = modern(1, 'subscriptions/listen', { notifications: { resourcesListChanged: true } })

/** Starts `shelfmark serve` over HTTP on a folder with one file of so many MiB, which takes no room on the disk. */
async function serveOverHttp(mib = 1): Promise<{ server: Program; url: string }> {
  const folder = folderOfTest()
  const file = openSync(join(folder, 'big.bin'), 'w')
  ftruncateSync(file, mib * 1024 * 1024)
  closeSync(file)
  const server = run([CLI, 'serve', `docs=${folder}`, '--http', '0', '--max-read', String(mib * 1024 * 1024)])
  return { server, url: await endpoint(server) }
}

async function read(sent: ClientRequest) {
  return (await messagesIn(await responseTo(sent))).at(-1)
}

describe.each(SIGNALS)('%s', (signal) => {
  it('ends listen streams of both eras over HTTP, the modern one with its result, and the process with code 0', async () => {
    const { server, url } = await serveOverHttp()
    const session = await openSession(url)
    const streams = [post(url, LISTEN), openStream(url, session)]
    const [modernStream, legacyStream] = streams.map(collect)
    await Promise.all(streams.map(responseTo))
    server.child.kill(signal)
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
    expect(modernStream?.text).toMatch(/acknowledged[^]*"id":1,"result":\{"resultType":"complete"/)
    expect(legacyStream?.text).toBe('')
  })

  it('ends listening of both eras on stdio, the modern one with its result, and the process with code 0', async () => {
    const server = run([CLI, 'serve', folderWithFile()])
    server.send(...opening(0), LISTEN)
    await server.until(({ messages }) => messages.find(({ method }) => method === 'notifications/subscriptions/acknowledged'))
    server.child.kill(signal)
    expect(await server.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(server.messages.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } })
  })

  it('twice ends the process at once, whatever is not answered yet', async () => {
    const { server, url } = await serveOverHttp(64)
    const response = await responseTo(post(url, readOf('modern', 1, 'file:///docs/big.bin')))
    const broken = new Promise((resolve) => {
      response.once('error', resolve)
    })
    server.child.kill(signal)
    // It takes no connections any more: the signal has come.
    await expect.poll(() => responseTo(post(url, LISTEN)).then(String, () => 'closed')).toBe('closed')
    server.child.kill(signal)
    // One signal alone would end it with 0, after the answer or the time to drain.
    expect(await server.ended).toMatchObject({ code: 1, signal: null })
    response.resume()
    await broken
  })
})

describe('the end of a server with requests in flight', () => {
  it('comes over HTTP when those that end in time have been answered, and the others were told to stop', async () => {
    const { server, url } = await runHttp({ drainMs: 400 })
    const session = await openSession(url)
    const stream = collect(openStream(url, session))
    const slow = [post(url, readOf('modern', 1, 'slow:150')), post(url, readOf('legacy', 1, 'slow:200'), session)]
    const hanging = [post(url, readOf('modern', 1, 'hang:1')), post(url, readOf('legacy', 2, 'hang:2'), session)]
    for (const uri of ['slow:150', 'slow:200', 'hang:1', 'hang:2']) await told(server, `begun ${uri}`)
    const answers = slow.map(read)
    const none = hanging.map((sent) => read(sent).catch(() => undefined))
    server.child.kill('SIGTERM')
    expect(await Promise.all(answers)).toMatchObject([
      { result: { contents: [{ text: 'slow' }] } },
      { result: { contents: [{ text: 'slow' }] } },
    ])
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
    expect(await Promise.all(none)).toEqual([undefined, undefined])
    expect(
      events(server)
        .filter((event) => event.startsWith('aborted'))
        .toSorted(),
    ).toEqual(['aborted hang:1', 'aborted hang:2'])
    expect(stream.text).toBe('')
  })

  it('comes on stdio when those that end in time have been answered, and refuses what comes meanwhile', async () => {
    const server = runWire([], { drainMs: 600 })
    server.send(readOf('modern', 1, 'slow:300'), readOf('modern', 2, 'hang:2'))
    await told(server, 'begun hang:2')
    server.child.kill('SIGTERM')
    await server.until(() => {
      server.send(readOf('modern', 3, 'note:a'))
      return server.messages.find(({ error }) => error !== undefined)
    })
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
    const late = server.messages.find(({ error }) => error !== undefined)
    expect(late).toEqual({ jsonrpc: '2.0', id: 3, error: { code: 10_503, message: 'Unavailable for now' } })
    expect(server.messages.find(({ id }) => id === 1)?.result).toMatchObject({ contents: [{ text: 'slow' }] })
    expect(server.messages.find(({ id }) => id === 2)).toBe(undefined)
    expect(events(server)).toContain('aborted hang:2')
  })

  it('comes on stdio long before the time to drain is over when the client goes meanwhile', async () => {
    const server = runWire([], { drainMs: 30_000 })
    server.send(readOf('modern', 1, 'hang:1'))
    await told(server, 'begun hang:1')
    server.child.kill('SIGTERM')
    const begun = performance.now()
    server.child.stdin.end()
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
    expect(performance.now() - begun).toBeLessThan(15_000)
  })
})

/** Arguments that let a process block four threads of its file system, on SIGUSR2. */
function blocking(): readonly string[] {
  const folder = folderOfTest()
  const fifos = [1, 2, 3, 4].map((name) => join(folder, String(name)))
  execFileSync('mkfifo', fifos)
  const script = `
    import { readFile } from 'node:fs'
    process.on('SIGUSR2', () => {
      for (const fifo of ${JSON.stringify(fifos)}) readFile(fifo, () => {})
      process.stderr.write('blocked')
    })`
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`]
}

function folderWithFile(): string {
  const path = folderOfTest()
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, 'a.md'), 'a')
  return path
}

async function block(server: Program): Promise<void> {
  server.child.kill('SIGUSR2')
  await server.until(({ stderr }) => stderr.includes('blocked') || undefined)
}

describe.skipIf(process.platform === 'win32')('a process whose threads are blocked in the file system', () => {
  it.each(SIGNALS)('dies of %s over HTTP, when its streams have ended', async (signal) => {
    const server = run([...blocking(), CLI, 'serve', folderWithFile(), '--http', '0'])
    const url = await endpoint(server)
    const stream = post(url, LISTEN)
    const heard = collect(stream)
    await responseTo(stream)
    await block(server)
    server.child.kill(signal)
    expect(await server.ended).toMatchObject({ code: null, signal })
    expect(heard.text).toContain('"id":1,"result":')
  })

  it('dies of SIGTERM on stdio', async () => {
    const server = run([...blocking(), CLI, 'serve', folderWithFile()])
    server.send(LISTEN)
    await server.until(({ messages }) => messages[0])
    await block(server)
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: null, signal: 'SIGTERM' })
    expect(server.messages.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } })
  })

  it('dies of the end of standard input', async () => {
    const server = run([...blocking(), CLI, 'serve', folderWithFile()])
    server.send(LISTEN)
    await server.until(({ messages }) => messages[0])
    await block(server)
    server.child.stdin.end()
    expect(await server.ended).toMatchObject({ code: null, signal: 'SIGTERM' })
  })

  it('dies of a second signal at once', async () => {
    const server = run([...blocking(), CLI, 'serve', `docs=${folderWithFile()}`, '--http', '0'])
    const url = await endpoint(server)
    await block(server)
    const stuck = post(url, readOf('modern', 1, 'file:///docs/a.md'))
    server.child.kill('SIGTERM')
    await expect.poll(() => responseTo(post(url, LISTEN)).then(String, () => 'closed')).toBe('closed')
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: null, signal: 'SIGTERM' })
    stuck.destroy()
  })
})
