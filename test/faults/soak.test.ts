import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { CLI, endpoint, folderOfTest, modern, run } from '../e2e/command-line.ts'
import type { Program } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import { FILES, legacyClient, modernClient, random, stdioClient, Tally, uri, write, writer } from './soak-clients.ts'
import { ask, children, descriptors, post, resident, responseTo, settled, TELLS } from './wire.ts'

/** How long the clients are at it. A person may let them for hours. */
const SECONDS = Number(process.env['SHELFMARK_SOAK_SECONDS'] ?? 60)
/** What the clients do is the same for the same seed, as far as time allows. */
const SEED = Number(process.env['SHELFMARK_SOAK_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

const MODERN_CLIENTS = 16
const LEGACY_CLIENTS = 12

/** Arguments that let a process say what it holds, on SIGUSR2. */
const SAYING = [
  '--expose-gc',
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    let rejections = 0
    process.on('unhandledRejection', (error) => { rejections++; console.error('unhandled', error) })
    process.on('SIGUSR2', () => {
      gc(); gc()
      const { heapUsed, external } = process.memoryUsage()
      const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
      process.stderr.write(JSON.stringify({ sample: { memory: heapUsed + external, timers, rejections } }) + '\\n')
    })`)}`,
]

interface Sample {
  readonly memory: number
  readonly timers: number
  readonly rejections: number
  readonly resident: number
  readonly descriptors: number
}

async function sample(server: Program): Promise<Sample> {
  const said = () => server.stderr.split('\n').filter((line) => line.startsWith('{"sample"'))
  const before = said().length
  server.child.kill('SIGUSR2')
  const line = await server.until(() => said()[before])
  const { sample: told } = JSON.parse(line) as { sample: Omit<Sample, 'resident' | 'descriptors'> }
  return { ...told, resident: resident(server), descriptors: descriptors(server) }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

function flat(samples: readonly Sample[], of: (sample: Sample) => number): readonly [second: number, last: number] {
  const third = Math.floor(samples.length / 3)
  return [median(samples.slice(third, 2 * third).map(of)), median(samples.slice(2 * third).map(of))]
}

const MIB = 1024 * 1024

describe.skipIf(!TELLS)('`shelfmark serve` for a long time, over HTTP and on stdio', () => {
  it('holds no more after much has happened than after some', { timeout: (SECONDS + 60) * 1_000 }, async () => {
    const folder = folderOfTest()
    for (let i = 0; i < 10; i++) mkdirSync(join(folder, `d${i}`), { recursive: true })
    for (let i = 0; i < FILES; i++) write(folder, i, 100 + i * 10)
    const web = run([...SAYING, CLI, 'serve', `docs=${folder}`, '--http', '0'])
    const stdio = run([...SAYING, CLI, 'serve', `docs=${folder}`], { read: false })
    const url = await endpoint(web)
    const tally = new Tally()
    const end = performance.now() + SECONDS * 1_000
    const goOn = (): boolean => performance.now() < end
    const roll = (offset: number) => random(SEED + offset)

    // What is loaded and opened with the first listener stays.
    const first = post(url, modern(1, 'subscriptions/listen', { notifications: { resourcesListChanged: true } }))
    await responseTo(first)
    await ask(url, readOf('modern', 1, uri(1)))
    first.destroy()
    const before = await settled(() => descriptors(web), 500)
    const clients = [
      ...Array.from({ length: MODERN_CLIENTS }, (_, i) => modernClient(url, roll(i), goOn, tally)),
      ...Array.from({ length: LEGACY_CLIENTS }, (_, i) => legacyClient(url, roll(100 + i), goOn, tally)),
      stdioClient(stdio, roll(200), goOn, tally),
      writer(folder, roll(300), goOn, tally),
    ]
    const all = Promise.all(clients)
    const samples: Record<'web' | 'stdio', Sample[]> = { web: [], stdio: [] }
    const every = Math.max(1_000, (SECONDS * 1_000) / 300)
    while (goOn()) {
      await Promise.race([pause(every), all])
      samples.web.push(await sample(web))
      samples.stdio.push(await sample(stdio))
    }
    await all

    const figures = Object.entries(samples).map(([server, taken]) => {
      const memory = flat(taken, (one) => one.memory / MIB)
      const rss = flat(taken, (one) => one.resident)
      const open = flat(taken, (one) => one.descriptors)
      const timers = flat(taken, (one) => one.timers)
      return { server, memory, rss, open, timers }
    })
    for (const { server, memory, rss, open, timers } of figures) {
      const show = ([second, last]: readonly [number, number]) => `${second.toFixed(1)} -> ${last.toFixed(1)}`
      process.stdout.write(
        `soak ${server}: ${show(memory)} MiB used, ${show(rss)} MiB resident, ${show(open)} descriptors, ${show(timers)} timers\n`,
      )
    }
    process.stdout.write(`soak of ${SECONDS} s with seed ${SEED}: ${tally.toString()}\n`)

    expect(tally.wrong).toEqual([])
    expect([web.child.exitCode, stdio.child.exitCode]).toEqual([null, null])
    for (const { memory, rss, open, timers } of figures) {
      expect(memory[1]).toBeLessThan(memory[0] * 1.15 + 3)
      expect(rss[1]).toBeLessThan(rss[0] * 1.2 + 20)
      expect(open[1]).toBeLessThan(open[0] * 1.3 + 10)
      expect(timers[1]).toBeLessThan(timers[0] * 1.3 + 10)
    }
    await expect.poll(() => descriptors(web), { timeout: 10_000 }).toBeLessThanOrEqual(before)
    expect([children(web), children(stdio)]).toEqual([0, 0])
    const after = [await sample(web), await sample(stdio)]
    expect(after.map(({ rejections }) => rejections)).toEqual([0, 0])
    // What is left are those of the servers themselves.
    for (const { timers } of after) expect(timers).toBeLessThan(5)
    const said = web.stderr.split('\n').filter((line) => !/^\{"sample"|^shelfmark .* serves|^http:|^$/.test(line))
    expect(said).toEqual([])
    write(folder, 1, 5)
    expect((await ask(url, readOf('modern', 1, uri(1)))).result).toMatchObject({ contents: [{ uri: uri(1) }] })
    web.child.kill('SIGTERM')
    stdio.child.stdin.end()
    expect(await web.ended).toMatchObject({ code: 0, signal: null })
    expect(await stdio.ended).toMatchObject({ code: 0, signal: null })
  })
})
