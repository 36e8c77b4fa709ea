import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CLI, folderOfTest, modern, opening, run } from '../e2e/command-line.ts'
import type { Program } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import { ask, runHttp, runWire, TELLS } from './wire.ts'

const BIG = 'file:///docs/big.txt'

/** Starts `shelfmark serve` on a folder with a text of 1 MiB, and does not read what it says. */
function serve(): Program {
  const folder = folderOfTest()
  writeFileSync(join(folder, 'big.txt'), 'x'.repeat(1024 * 1024))
  return run([CLI, 'serve', `docs=${folder}`], { read: false })
}

/** Asks for texts that the pipe does not hold, and waits until one has begun to leave. */
async function fill(server: Program): Promise<void> {
  server.send(...opening(0), ...[1, 2, 3].map((id) => readOf('legacy', id, BIG)))
  await new Promise((resolve) => {
    server.child.stdout.once('readable', resolve)
  })
  await pause(50)
}

/** Milliseconds from what is done to a server until it has ended, as it should. */
async function untilEnded(server: Program, harm: () => void): Promise<void> {
  harm()
  expect(await server.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
}

describe('`shelfmark serve` on stdio', () => {
  it.each<[string, (server: Program) => void]>([
    [
      'does not read, and closes its end',
      ({ child }) => {
        child.stdin.end()
        // What nobody reads keeps the pipe open here: the server must not wait for it.
        child.on('exit', () => child.stdout.resume())
      },
    ],
    ['stops reading for good', ({ child }) => void child.stdout.destroy()],
    [
      'is gone with all its ends',
      ({ child }) => {
        child.stdout.destroy()
        child.stdin.destroy()
      },
    ],
    [
      'stops reading, and then closes its end',
      ({ child }) => {
        child.stdout.destroy()
        child.stdin.end(`${JSON.stringify(readOf('legacy', 9, BIG))}\n`)
      },
    ],
  ])('ends by itself, with code 0 and without a word, when a client in the middle of an answer %s', async (_what, harm) => {
    const server = serve()
    await fill(server)
    await untilEnded(server, () => harm(server))
  })

  it('ends when it finds nobody that reads its next answer', async () => {
    const server = serve()
    server.send(...opening(0))
    await new Promise((resolve) => {
      server.child.stdout.once('readable', resolve)
    })
    server.child.stdout.destroy()
    await untilEnded(server, () => server.send(modern(1, 'resources/list')))
  })

  it('answers in full, in order and in time when a client that did not read reads on', async () => {
    const server = serve()
    await fill(server)
    server.send(readOf('legacy', 4, 'file:///docs/none'))
    server.read()
    expect((await server.answer(4)).error).toMatchObject({ code: -32002 })
    expect(new Set(server.messages.map(({ id }) => id))).toEqual(new Set([0, 1, 2, 3, 4]))
    const sizes = server.messages.map(({ result }) => (result?.['contents'] as [{ text: string }] | undefined)?.[0].text.length)
    expect(sizes.filter((size) => size !== undefined)).toEqual([1_048_576, 1_048_576, 1_048_576])
    await untilEnded(server, () => server.child.stdin.end())
  })
})

async function probe(server: Program, id: string): Promise<{ readonly memory: number }> {
  server.send(readOf('modern', id, `probe:${id}`))
  const { result } = await server.answer(id)
  return JSON.parse((result?.['contents'] as [{ text: string }])[0].text) as { memory: number }
}

const FAILED = { error: { code: -32603, message: 'Internal error' } }

describe('a server whose standard error', () => {
  it('is closed answers on, on stdio', async () => {
    const server = runWire([])
    server.send(readOf('modern', 0, 'note:a'))
    await server.answer(0)
    server.child.stderr.destroy()
    for (let id = 1; id < 50; id++) server.send(readOf('modern', id, 'fails:again'))
    expect(await server.answer(49)).toMatchObject(FAILED)
    server.send(readOf('modern', 50, 'note:a'))
    expect((await server.answer(50)).result).toMatchObject({ contents: [{ text: 'a' }] })
    server.child.stdin.end()
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
  })

  it('is closed answers on, over HTTP', async () => {
    const { server, url } = await runHttp()
    server.child.stderr.destroy()
    for (let id = 1; id < 5; id++) expect(await ask(url, readOf('modern', id, 'fails:again'))).toMatchObject(FAILED)
    expect((await ask(url, readOf('modern', 9, 'note:a'))).result).toMatchObject({ contents: [{ text: 'a' }] })
  })

  it.skipIf(!TELLS)('is not read keeps no more of what it has to say than a little', async () => {
    const server = runWire([])
    server.send(readOf('modern', 0, 'note:a'))
    await server.answer(0)
    server.child.stderr.pause()
    const { memory: before } = await probe(server, 'before')
    const uri = `fails:${'y'.repeat(8_000)}`
    // Each error says more than 16,000 characters: 32 MB in all.
    for (let id = 1; id <= 2_000; id += 100) {
      for (let more = 0; more < 100; more++) server.send(readOf('modern', id + more, uri))
      await server.answer(id + 99)
    }
    expect((await probe(server, 'after')).memory - before).toBeLessThan(8_000_000)
    server.child.stderr.resume()
  })
})

describe('what `shelfmark` was asked to print', () => {
  it.each([[['--help']], [['--version']], [['serve', '--help']]])(
    '%j ends with 0 and without a word when nobody reads it',
    async (args) => {
      const asked = run([CLI, ...args], { read: false })
      asked.child.stdout.destroy()
      expect(await asked.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
    },
  )

  it.skipIf(!existsSync('/dev/full'))('ends with 1 and one line when the disk is full', () => {
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const { status, stderr } = spawnSync(process.execPath, [CLI, '--help'], { stdio: ['ignore', full, 'pipe'] })
    expect([status, String(stderr)]).toEqual([1, 'shelfmark: ENOSPC: no space left on device, write\n'])
  })

  it('wrong usage exits with 2 when nobody reads what is wrong', async () => {
    const asked = run([CLI, 'sreve'])
    asked.child.stderr.destroy()
    expect(await asked.ended).toMatchObject({ code: 2, signal: null })
  })
})
