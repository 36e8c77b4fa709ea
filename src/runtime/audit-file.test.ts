import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, link, mkdir, readFile, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryTree } from '../../test/temporary-tree.ts'
import { createFakeClock } from '../testing/index.ts'
import type { AuditFileOptions } from './audit-file.ts'
import { openAuditFile } from './audit-file.ts'

/** An audit file in a folder of the test, whose time the test moves. */
async function opened(options: AuditFileOptions = {}) {
  const { root } = await temporaryTree({ 'logs/': '' })
  const folder = join(root, 'logs')
  const path = join(folder, 'audit.jsonl')
  const clock = createFakeClock()
  const warnings: string[] = []
  const file = await openAuditFile(path, { clock, warn: (message) => warnings.push(message), ...options })
  onTestFinished(() => file.close())
  /** Lets gathered lines be written, and waits until `done`. */
  const written = async (done: () => boolean | Promise<boolean>): Promise<void> => {
    clock.advance(50)
    await expect.poll(done).toBe(true)
  }
  return { root, folder, path, clock, warnings, file, written }
}

const linesOf = async (path: string): Promise<readonly string[]> => {
  const text = await readFile(path, 'utf8').catch(() => '')
  return text.split('\n').slice(0, -1)
}

describe('openAuditFile()', () => {
  it('appends lines in order, to a file that its owner alone reads, and makes those of others so', async () => {
    const { root } = await temporaryTree({ 'new/': '', 'old.jsonl': 'before\n' })
    await chmod(join(root, 'old.jsonl'), 0o644)
    for (const name of ['new/a.jsonl', 'old.jsonl']) {
      const path = join(root, name)
      const file = await openAuditFile(path)
      for (let i = 0; i < 1000; i++) file.write(`line ${i}`)
      await file.close()
      expect((await linesOf(path)).filter((line) => line !== 'before')).toEqual(
        Array.from({ length: 1000 }, (_, i) => `line ${i}`),
      )
      expect((await stat(path)).mode & 0o777).toBe(0o600)
    }
    expect((await linesOf(join(root, 'old.jsonl')))[0]).toBe('before')
  })

  it('gathers lines for 50 ms, and sets no timer while there are none', async () => {
    const { clock, file, path, written } = await opened()
    expect(clock.pending).toBe(0)
    file.write('a')
    file.write('b')
    expect(clock.pending).toBe(1)
    clock.advance(49)
    expect(await linesOf(path)).toEqual([])
    await written(async () => (await linesOf(path)).length === 2)
    expect(clock.pending).toBe(0)
  })

  it('ends a line that a process before it did not end', async () => {
    const { root } = await temporaryTree({ 'a.jsonl': '{"half' })
    const file = await openAuditFile(join(root, 'a.jsonl'))
    file.write('{}')
    await file.close()
    expect(await linesOf(join(root, 'a.jsonl'))).toEqual(['{"half', '{}'])
  })

  it('makes room by size: no file is larger, and no more of them are kept', async () => {
    const { file, folder } = await opened({ maxBytes: 100, files: 3 })
    for (let i = 0; i < 50; i++) file.write(`line ${String(i).padStart(4, '0')}`)
    await file.close()
    expect((await readdir(folder)).toSorted()).toEqual(['audit.jsonl', 'audit.jsonl.1', 'audit.jsonl.2'])
    const kept: string[] = []
    for (const name of ['audit.jsonl.2', 'audit.jsonl.1', 'audit.jsonl']) {
      expect((await stat(join(folder, name))).size).toBeLessThanOrEqual(100)
      kept.push(...(await linesOf(join(folder, name))))
    }
    expect(kept).toEqual(Array.from({ length: 30 }, (_, i) => `line ${String(i + 20).padStart(4, '0')}`))
    expect(file.lost).toBe(0)
  })

  it('keeps one file when it is told to, and gives a line that is larger than a file one of its own', async () => {
    const { file, folder, path } = await opened({ maxBytes: 10, files: 1 })
    for (const line of ['short', 'x'.repeat(50)]) file.write(line)
    await file.close()
    expect(await readdir(folder)).toEqual(['audit.jsonl'])
    expect(await linesOf(path)).toEqual(['x'.repeat(50)])
  })

  it('writes to a file of the name when the one it had was moved or removed', async () => {
    const { file, path, written } = await opened()
    file.write('a')
    await written(async () => (await linesOf(path)).length === 1)
    await rename(path, `${path}.moved`)
    file.write('b')
    await written(async () => (await linesOf(path)).length === 1)
    await rm(path)
    file.write('c')
    await written(async () => (await linesOf(path))[0] === 'c')
    expect(await linesOf(`${path}.moved`)).toEqual(['a'])
  })

  it('counts what cannot be written, warns once a minute, and says how many were lost when it works again', async () => {
    const { clock, file, folder, path, warnings, written } = await opened()
    await rm(folder, { recursive: true })
    for (let i = 1; i <= 5; i++) {
      file.write('lost')
      file.write('lost')
      await written(() => file.lost === 2 * i)
    }
    expect(warnings).toEqual([
      `audit: 2 lines lost, ${JSON.stringify(path)} cannot be written: ENOENT: no such file or directory, open '${path}'`,
    ])
    clock.advance(60_000)
    file.write('lost')
    await written(() => file.lost === 11)
    expect(warnings).toHaveLength(2)
    expect(warnings[1]).toContain('audit: 9 lines lost, ')
    await mkdir(folder)
    file.write('again')
    await written(async () => (await linesOf(path)).length === 2)
    const [first, second] = await linesOf(path)
    expect(JSON.parse(first!)).toEqual({
      time: '2026-01-01T00:01:00.350Z',
      operation: 'audit',
      outcome: 'lost',
      lines: 11,
    })
    expect(second).toBe('again')
    await file.close()
    expect(await linesOf(path)).toHaveLength(2)
    expect(warnings).toHaveLength(2)
  })

  it('says at its close what it has not said: in the file if it can, and on standard error', async () => {
    const { file, folder, path, warnings, written } = await opened()
    await rm(folder, { recursive: true })
    file.write('lost')
    await written(() => file.lost === 1)
    file.write('lost')
    await written(() => file.lost === 2)
    await mkdir(folder)
    await file.close()
    expect(await linesOf(path)).toHaveLength(1)
    expect(warnings.map((warning) => warning.slice(0, 18))).toEqual(['audit: 1 line lost', 'audit: 1 line lost'])
    file.write('late')
    expect(file.lost).toBe(3)
  })

  it('does not keep more than it can hold while the disk is slow', async () => {
    const { file, warnings } = await opened()
    const line = 'x'.repeat(1024 * 1024)
    for (let i = 0; i < 6; i++) file.write(line)
    expect(file.lost).toBe(3)
    expect(warnings).toHaveLength(1)
  })

  it.each([
    ['a link', (path: string) => symlink('/dev/null', path)],
    ['a pipe', (path: string) => void execFileSync('mkfifo', [path])],
    ['a folder', (path: string) => mkdir(path)],
    ['a device', (path: string) => link(path, path).catch(() => undefined), '/dev/full'],
    ['a file in a folder that is not there', () => undefined, '/nowhere/audit.jsonl'],
  ])('refuses %s', async (_what, make, given?: string) => {
    const { root } = await temporaryTree()
    const path = given ?? join(root, 'audit.jsonl')
    await make(path)
    await expect(openAuditFile(path)).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringContaining(`The audit cannot be written to ${path}: `) as string,
      details: { option: 'path' },
    })
  })

  it('follows no link that takes its place later', async () => {
    const { file, path, root, written } = await opened()
    await writeFile(join(root, 'victim'), 'mine')
    await rm(path)
    await symlink(join(root, 'victim'), path)
    file.write('a')
    await written(() => file.lost === 1)
    expect(await readFile(join(root, 'victim'), 'utf8')).toBe('mine')
  })

  it.each([
    ['maxBytes', 0],
    ['files', 1.5],
  ])('refuses %s of %d', async (option, value) => {
    await expect(openAuditFile('/nowhere', { [option]: value })).rejects.toMatchObject({ details: { option } })
  })

  it('writes what waits when the process exits', async () => {
    const { root } = await temporaryTree()
    const script = `
      import { openAuditFile } from ${JSON.stringify(new URL('../../dist/runtime/audit-file.js', import.meta.url).href)}
      const file = await openAuditFile(${JSON.stringify(join(root, 'a.jsonl'))})
      file.write('last words')
      process.exit(0)`
    expect(spawnSync(process.execPath, ['--input-type=module', '-e', script]).status).toBe(0)
    expect(await linesOf(join(root, 'a.jsonl'))).toEqual(['last words'])
  })
})
