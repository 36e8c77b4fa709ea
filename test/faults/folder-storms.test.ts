import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CLI, folderOfTest, modern, opening, run } from '../e2e/command-line.ts'
import type { Program } from '../e2e/command-line.ts'

const descriptors = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

/** Seconds of processor time that a process has used. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** A program that does one thing as fast as it can for some seconds, in a process of its own. */
async function storm(body: string, folder: string): Promise<number> {
  const program = `const fs = require('node:fs'); const end = Date.now() + 3_000; let i = 0
    while (Date.now() < end) { for (let k = 0; k < 200; k++, i++) { ${body} }; Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 15) }
    process.stdout.write(String(i))`
  const child = spawn(process.execPath, ['-e', program], { cwd: folder })
  onTestFinished(() => void child.kill())
  let printed = ''
  child.stdout.on('data', (text: Buffer) => (printed += text.toString()))
  await once(child, 'close')
  return Number(printed)
}

async function subscribed(folder: string, uris: readonly string[]): Promise<Program> {
  const server = run([CLI, 'serve', `docs=${folder}`])
  server.send(...opening(0))
  await server.answer(0)
  for (const [index, uri] of uris.entries()) {
    server.send({ jsonrpc: '2.0', id: index + 1, method: 'resources/subscribe', params: { uri } })
    await server.answer(index + 1)
  }
  return server
}

const told = (server: Program, method: string) =>
  server.messages.filter((message) => message.method === `notifications/resources/${method}`)

describe.runIf(process.platform === 'linux')('a storm of changes', () => {
  it('of one file is told at most ten times a second, and the last of it is told', { timeout: 60_000 }, async () => {
    const folder = folderOfTest()
    writeFileSync(join(folder, 'hot.txt'), '0')
    const server = await subscribed(folder, ['file:///docs/hot.txt'])
    const pid = server.child.pid!
    const before = { descriptors: descriptors(pid), time: processorTime(pid) }
    const writes = await storm("fs.writeFileSync('hot.txt', String(i))", folder)
    await pause(1_500)
    const updates = told(server, 'updated').length
    const used = processorTime(pid) - before.time
    process.stdout.write(`${writes} writes in 3 s: ${updates} updates, ${used.toFixed(2)} s of processor time\n`)
    expect(updates).toBeGreaterThan(0)
    expect(updates).toBeLessThanOrEqual(46)
    expect(told(server, 'list_changed')).toEqual([])
    server.send({ jsonrpc: '2.0', id: 99, method: 'resources/read', params: { uri: 'file:///docs/hot.txt' } })
    expect((await server.answer(99)).result).toMatchObject({ contents: [{ text: String(writes - 1) }] })
    // What was read is the last word: nothing is told after it.
    await pause(1_000)
    expect(told(server, 'updated')).toHaveLength(updates)
    expect(descriptors(pid)).toBeLessThanOrEqual(before.descriptors + 2)
  })

  it(
    'of ten thousand files is told as some changes of the set, and of those that are listened to',
    { timeout: 60_000 },
    async () => {
      const folder = folderOfTest()
      mkdirSync(join(folder, 'many'))
      writeFileSync(join(folder, 'many/n0.txt'), '')
      const server = await subscribed(folder, ['file:///docs/many/n0.txt'])
      const writes = await storm("fs.writeFileSync('many/n' + (i % 10_000) + '.txt', String(i))", folder)
      await pause(2_000)
      const [updates, lists] = [told(server, 'updated').length, told(server, 'list_changed').length]
      process.stdout.write(`${writes} writes in 3 s: ${updates} updates, ${lists} changes of the list\n`)
      expect(updates).toBeGreaterThan(0)
      expect(lists).toBeGreaterThan(0)
      expect(updates + lists).toBeLessThanOrEqual(92)
      server.send(modern(99, 'resources/list'))
      expect((await server.answer(99)).result).toHaveProperty('nextCursor')
    },
  )
})
