import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { watched, write } from '../../../test/watched-folder.ts'
import type { Change } from '../../library/index.ts'
import { files } from './index.ts'

describe('a watch whose root cannot be reached', () => {
  it('files().watch() goes on when a folder above the root leads nowhere for a while', { timeout: 30_000 }, async (context) => {
    const above = fs.mkdtempSync(join(tmpdir(), 'shelfmark-above-'))
    const root = join(above, 'way/root')
    fs.mkdirSync(root, { recursive: true })
    const changes: Change[] = []
    const watcher = await files({ root, name: 'r' }).watch((change) => changes.push(change))
    context.onTestFinished(async () => {
      await watcher[Symbol.asyncDispose]()
      fs.rmSync(above, { recursive: true })
    })
    fs.writeFileSync(join(root, 'a.txt'), '')
    await vi.waitFor(() => expect(changes).toHaveLength(1), 5_000)
    fs.renameSync(join(above, 'way'), join(above, 'away'))
    fs.symlinkSync('way', join(above, 'way'))
    await vi.waitFor(() => expect(changes).toHaveLength(2), 5_000)
    fs.unlinkSync(join(above, 'way'))
    fs.renameSync(join(above, 'away'), join(above, 'way'))
    await vi.waitFor(() => expect(changes).toHaveLength(3), 5_000)
  })
})

describe('a watch that was disposed', () => {
  it(
    'files().watch() leaves no descriptor and no timer behind, whenever it is disposed',
    { timeout: 60_000 },
    async (context) => {
      const { root } = await watched(context)
      const provider = files({ root, name: 'r' })
      const once = async (wait: number) => {
        const watcher = await provider.watch(() => undefined)
        await watcher.add('file:///r/a.txt')
        write(root, 'a.txt', String(Math.random()))
        await pause(wait)
        await watcher[Symbol.asyncDispose]()
        await watcher[Symbol.asyncDispose]()
      }
      await once(200)
      const before = descriptors()
      for (const wait of [0, 1, 60, 120, 700]) await once(wait)
      await Promise.all(Array.from({ length: 20 }, () => once(30)))
      expect(descriptors()).toBe(before)
    },
  )
})

describe('the only watch of a process', () => {
  it.skipIf(process.platform !== 'linux')(
    'files().watch() leaves nothing behind when it is the only one, however often it begins',
    { timeout: 30_000 },
    (context) => {
      const root = fs.mkdtempSync(join(tmpdir(), 'shelfmark-only-'))
      context.onTestFinished(() => fs.rmSync(root, { recursive: true }))
      const program = `
        import { readdirSync } from 'node:fs'
        import { files } from ${JSON.stringify(join(import.meta.dirname, '../../../dist/providers/files/index.js'))}
        const provider = files({ root: process.argv[1], name: 'r' })
        const once = async () => (await provider.watch(() => undefined))[Symbol.asyncDispose]()
        await once()
        const before = readdirSync('/proc/self/fd').length
        for (let i = 0; i < 10; i++) await once()
        console.log(readdirSync('/proc/self/fd').length - before)
      `
      const ended = spawnSync(process.execPath, ['--input-type=module', '-e', program, root], { encoding: 'utf8' })
      expect(ended).toMatchObject({ stdout: '0\n', stderr: '' })
    },
  )
})

describe('listening to a file', () => {
  it('files().watch() listens no more to what was taken back before it was looked at', { timeout: 30_000 }, async (context) => {
    const { root, watcher, after } = await watched(context)
    const added = watcher.add('file:///r/a.txt')
    watcher.remove('file:///r/a.txt')
    await added
    expect(await after(() => write(root, 'a.txt', 'new'))).toEqual([])
  })

  it.skipIf(process.platform !== 'linux')(
    'files().watch() holds nothing for what is asked for twice, or too late',
    async (context) => {
      const { root } = await watched(context)
      const before = watches()
      const watcher = await files({ root, name: 'r' }).watch(() => undefined)
      const armed = watches()
      const uri = 'file:///r/sub/x.txt'
      await Promise.all([watcher.add(uri), watcher.add(uri)])
      watcher.remove(uri)
      expect(watches()).toBe(armed)
      const late = watcher.add(uri)
      await watcher[Symbol.asyncDispose]()
      await late
      await watcher.add(uri)
      expect(watches()).toBe(before)
    },
  )
})

/** What the system watches for this process, counted by folder. */
function watches(): number {
  const infos = fs.readdirSync('/proc/self/fdinfo').map((fd) => {
    try {
      return fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')
    } catch {
      return ''
    }
  })
  return infos.join('').split('\ninotify ').length - 1
}

function descriptors(): number {
  return process.platform === 'linux' ? fs.readdirSync('/proc/self/fd').length : 0
}
