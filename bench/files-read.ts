/**
 * A read of a 1 KiB file by the files provider beside the bare five calls it stands on (open, fstat, readlink, read,
 * close), interleaved. Prints CPU and wall time a read, and
 * the ratio of CPU to the bare calls, which is meant to stay within 1.5.
 */
import * as fs from 'node:fs'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localCall } from '../src/library/index.ts'
import { files } from '../src/providers/files/index.ts'

const ROUNDS = 9
const READS = 3_000
const ABREAST = 16
const FLAGS = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY

const root = mkdtempSync(join(tmpdir(), 'shelfmark-bench-'))
const path = join(root, 'a.txt')
writeFileSync(path, 'x'.repeat(1_024))
writeFileSync(join(root, '.gitignore'), '*.log\nnode_modules/\n')

function promise<T>(run: (done: (error: Error | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => run((error, value) => (error === null ? resolve(value) : reject(error))))
}

async function bare(): Promise<string> {
  const fd = await promise<number>((done) => fs.open(path, FLAGS, done))
  const stat = await promise<fs.Stats>((done) => fs.fstat(fd, done))
  await promise<string>((done) => fs.readlink(`/proc/self/fd/${fd}`, done))
  const buffer = Buffer.allocUnsafe(stat.size + 1)
  const length = await promise<number>((done) => fs.read(fd, buffer, 0, buffer.length, 0, done))
  await promise<void>((done) => fs.close(fd, (error) => done(error ?? null)))
  return buffer.toString('utf8', 0, length)
}

const provider = files({ root, name: 'bench' })
const call = localCall()
const ours = () => provider.read({ uri: 'file:///bench/a.txt', maxBytes: 5 * 1024 * 1024 }, call)

async function measure(run: () => Promise<unknown>): Promise<{ readonly cpu: number; readonly wall: number }> {
  for (let i = 0; i < 200; i++) await run()
  const cpu = process.cpuUsage()
  const begun = performance.now()
  for (let i = 0; i < READS / ABREAST; i++) await Promise.all(Array.from({ length: ABREAST }, run))
  const used = process.cpuUsage(cpu)
  return { cpu: (used.user + used.system) / READS, wall: ((performance.now() - begun) * 1_000) / READS }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const results = { bare: [] as { cpu: number; wall: number }[], ours: [] as { cpu: number; wall: number }[] }
for (let round = 0; round < ROUNDS; round++) {
  results.bare.push(await measure(bare))
  results.ours.push(await measure(ours))
}
rmSync(root, { recursive: true })

const cpu = { bare: median(results.bare.map((one) => one.cpu)), ours: median(results.ours.map((one) => one.cpu)) }
for (const name of ['bare', 'ours'] as const) {
  const wall = median(results[name].map((one) => one.wall))
  process.stdout.write(`${name}: ${cpu[name].toFixed(1)} us CPU, ${wall.toFixed(1)} us wall a read\n`)
}
process.stdout.write(`ratio: ${(cpu.ours / cpu.bare).toFixed(2)} of the bare five calls (goal: at most 1.5)\n`)
