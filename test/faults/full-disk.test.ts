import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CLI, folderOfTest } from '../e2e/command-line.ts'
import { readOf } from './channels.ts'
import { ask, TELLS } from './wire.ts'

const LIMITS = TELLS && spawnSync('prlimit', ['--version']).status === 0
const A = 'file:///docs/a.md'

describe.skipIf(!LIMITS)('`shelfmark serve --audit` on a disk that is full', () => {
  it('reads on, warns once, leaves no half line, and says how many lines were lost when there is room again', async () => {
    const folder = folderOfTest()
    mkdirSync(join(folder, 'docs'))
    writeFileSync(join(folder, 'docs', 'a.md'), 'a')
    const log = join(folder, 'audit.jsonl')
    // No file may be larger than 1000 bytes; the shell lets the process outlive the signal that says so.
    const command = `trap '' XFSZ; exec prlimit --fsize=1000:unlimited "$@"`
    const args = [CLI, 'serve', `docs=${join(folder, 'docs')}`, '--http', '0', '--audit', log]
    const child = spawn('sh', ['-c', command, 'sh', process.execPath, ...args])
    onTestFinished(() => void child.kill('SIGKILL'))
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    await expect.poll(() => stderr, { timeout: 10_000 }).toMatch(/^http:/m)
    const url = /^http:\S+$/m.exec(stderr)![0]
    const read = async (id: number): Promise<void> =>
      expect((await ask(url, readOf('modern', id, A))).result).toMatchObject({ contents: [{ text: 'a' }] })
    for (let id = 1; id <= 40; id++) await read(id)
    await expect.poll(() => stderr).toContain('cannot be written: EFBIG')
    for (let id = 41; id <= 80; id++) await read(id)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(stderr.match(/cannot be written/g)).toHaveLength(1)
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:unlimited'])
    await read(81)
    const ended = new Promise((resolve) => child.on('exit', resolve))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
    const records: Record<string, unknown>[] = []
    // What the disk took of a line that it had no room for is the only one that is none.
    let halves = 0
    for (const line of lines) {
      try {
        records.push(JSON.parse(line) as Record<string, unknown>)
      } catch {
        halves++
      }
    }
    expect(halves).toBeLessThanOrEqual(1)
    const lost = records.filter(({ outcome }) => outcome === 'lost')
    expect(lost).toHaveLength(1)
    const reads = records.filter(({ operation }) => operation === 'read')
    expect(reads.length + Number(lost[0]!.lines)).toBe(81)
    expect(records.at(-1)).toMatchObject({ operation: 'read', uri: A, outcome: 'ok', bytes: 1 })
  })
})
