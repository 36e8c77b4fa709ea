import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { localCall } from '../../library/index.ts'
import { files } from './index.ts'

const SECONDS = 2
const call = localCall()

/** Exchanges `victim` for a link to `target` and back, as fast as it can. */
const SWAP = `
const fs = require('node:fs')
const [victim, target] = process.argv.slice(1)
process.send('ready')
for (;;) {
  fs.renameSync(victim, victim + '.aside')
  fs.symlinkSync(target, victim)
  fs.unlinkSync(victim)
  fs.renameSync(victim + '.aside', victim)
}`

describe.skipIf(process.platform !== 'linux')('files() against an exchange of names', () => {
  it.each([
    ['a folder with symlinks: deny', 'swap', 'root/other', 'swap/a.txt', 'deny'],
    ['a folder', 'swap', 'outside/swap', 'swap/a.txt', 'within-root'],
    ['a folder further up', 'deep', 'outside/deep', 'deep/x/a.txt', 'within-root'],
    ['a file', 'swap/a.txt', 'outside/swap/a.txt', 'swap/a.txt', 'within-root'],
  ] as const)('files() never leaves the root while %s is exchanged for a link', async (_, victim, target, path, symlinks) => {
    const tree = await temporaryTree({
      'outside/swap/a.txt': 'CANARY',
      'outside/swap/leak.txt': 'CANARY',
      'outside/deep/x/a.txt': 'CANARY',
      'outside/deep/x/leak.txt': 'CANARY',
      'root/other/a.txt': 'CANARY',
      'root/swap/a.txt': 'inside',
      'root/deep/x/a.txt': 'inside',
      'root/b.txt': 'inside',
    })
    const root = join(tree.root, 'root')
    const provider = files({ root, name: 'race', symlinks })
    const child = spawn(process.execPath, ['-e', SWAP, join(root, victim), join(tree.root, target)], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    try {
      await once(child, 'message')
      const seen = { inside: 0, missing: 0, leaks: 0 }
      const end = performance.now() + SECONDS * 1_000
      const attempt = async () => {
        try {
          const result = await provider.read({ uri: `file:///race/${path}`, maxBytes: 100 }, call)
          const text =
            result.kind === 'contents' && result.contents[0] !== undefined && 'text' in result.contents[0]
              ? result.contents[0].text
              : ''
          if (text === 'inside') seen.inside++
          else seen.leaks++
        } catch {
          seen.missing++
        }
      }
      const look = async () => {
        const folder = path.slice(0, path.lastIndexOf('/'))
        const pages = [
          provider.list({ limit: 100 }, call),
          provider.children({ uri: `file:///race/${folder}`, limit: 100 }, call).catch(() => ({ items: [] })),
        ]
        for (const { items } of await Promise.all(pages)) if (items.some((item) => item.name === 'leak.txt')) seen.leaks++
      }
      while (performance.now() < end) await Promise.all([...Array.from({ length: 16 }, attempt), look()])
      expect(seen.leaks).toBe(0)
      expect(seen.inside).toBeGreaterThan(0)
      expect(seen.missing).toBeGreaterThan(0)
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  })
})
