import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { at, watched, write } from '../../../test/watched-folder.ts'

/** What people and programs do to files, and what of it is told to who listens to `a.txt` and `sub/x.txt`. */
const CASES: readonly (readonly [what: string, act: (root: string) => void | PromiseLike<void>, told: readonly string[]])[] = [
  ['a write in place', (root) => write(root, 'a.txt', 'b'), ['updated a.txt']],
  [
    'a write of the same length in the same instant',
    (root) => [1, 2, 3].forEach((i) => write(root, 'a.txt', String(i))),
    ['updated a.txt'],
  ],
  ['a touch', (root) => fs.utimesSync(at(root, 'a.txt'), new Date(), new Date()), []],
  ['a write of what is there already', (root) => write(root, 'a.txt', 'a'), []],
  [
    'an atomic save',
    (root) => {
      write(root, 'a.txt.tmp', 'new')
      fs.renameSync(at(root, 'a.txt.tmp'), at(root, 'a.txt'))
    },
    ['updated a.txt'],
  ],
  [
    'a save as vim does it, with a backup and a rename',
    (root) => {
      write(root, '4913', '')
      fs.unlinkSync(at(root, '4913'))
      fs.renameSync(at(root, 'a.txt'), at(root, 'a.txt~'))
      write(root, 'a.txt', 'new')
      fs.unlinkSync(at(root, 'a.txt~'))
    },
    ['updated a.txt'],
  ],
  [
    'a deletion and re-creation within 100 ms',
    async (root) => {
      fs.unlinkSync(at(root, 'a.txt'))
      await pause(40)
      write(root, 'a.txt', 'again')
    },
    ['updated a.txt'],
  ],
  ['a truncation', (root) => fs.truncateSync(at(root, 'a.txt')), ['updated a.txt']],
  ['growth', (root) => fs.appendFileSync(at(root, 'a.txt'), 'more'), ['updated a.txt']],
  ['a deletion', (root) => fs.unlinkSync(at(root, 'a.txt')), ['list', 'updated a.txt']],
  [
    'a rotation',
    (root) => {
      fs.renameSync(at(root, 'a.txt'), at(root, 'a.txt.1'))
      write(root, 'a.txt', 'fresh')
    },
    ['list', 'updated a.txt'],
  ],
  ['a new file', (root) => write(root, 'new.txt', ''), ['list']],
  ['a new file in a folder', (root) => write(root, 'sub/deep/new.txt', ''), ['list sub/deep']],
  ['a write to a file that nobody listens to', (root) => write(root, 'b.txt', 'new'), []],
  ['an empty folder', (root) => fs.mkdirSync(at(root, 'nothing')), []],
  ['a hidden file', (root) => write(root, '.hidden', ''), []],
  ['a secret', (root) => write(root, 'server.key', ''), []],
  [
    'a file that is gone again at once',
    (root) => {
      write(root, 'temp.txt', '')
      fs.unlinkSync(at(root, 'temp.txt'))
    },
    [],
  ],
  ['a folder that is renamed', (root) => fs.renameSync(at(root, 'sub'), at(root, 'bus')), ['list', 'updated sub/x.txt']],
  [
    'a folder that is deleted and made again with the same files',
    (root) => {
      fs.rmSync(at(root, 'sub'), { recursive: true })
      fs.mkdirSync(at(root, 'sub/deep'), { recursive: true })
      write(root, 'sub/x.txt', 'x')
      write(root, 'sub/deep/y.txt', 'y')
    },
    [],
  ],
  [
    'a folder that is deleted and made again with other contents',
    (root) => {
      fs.rmSync(at(root, 'sub'), { recursive: true })
      fs.mkdirSync(at(root, 'sub/deep'), { recursive: true })
      write(root, 'sub/x.txt', 'other')
      write(root, 'sub/deep/y.txt', 'y')
    },
    ['updated sub/x.txt'],
  ],
  ['an ignore file that hides a file', (root) => write(root, '.gitignore', 'b.txt\n'), ['list']],
  [
    'a file that loses its place to a folder',
    (root) => {
      fs.unlinkSync(at(root, 'a.txt'))
      fs.mkdirSync(at(root, 'a.txt'))
    },
    ['list', 'updated a.txt'],
  ],
]

describe.concurrent.each([
  ['told by the system', false],
  ['by looking alone', true],
])('files().watch() %s', (_how, poll) => {
  it.for(CASES)('files().watch() tells of %s once', { timeout: 30_000 }, async ([_what, act, told], context) => {
    const { root, after } = await watched(context, { poll, listen: ['a.txt', 'sub/x.txt'] })
    expect(await after(() => act(root))).toEqual(told)
  })
})

describe.concurrent('files().watch()', () => {
  it('files().watch() tells of writes in a folder that was moved in with folders in it', { timeout: 30_000 }, async (context) => {
    const { root, watcher, after } = await watched(context)
    const elsewhere = `${root}-elsewhere`
    fs.mkdirSync(join(elsewhere, 'x/y'), { recursive: true })
    fs.writeFileSync(join(elsewhere, 'x/y/f'), '1')
    expect(await after(() => fs.renameSync(elsewhere, at(root, 'in')))).toEqual(['list in/x/y'])
    await watcher.add('file:///r/in/x/y/f')
    expect(await after(() => write(root, 'in/x/y/f', '2'))).toEqual(['updated in/x/y/f'])
    expect(await after(() => fs.renameSync(at(root, 'in'), at(root, 'inn')))).toEqual(['list', 'updated in/x/y/f'])
    await watcher.add('file:///r/inn/x/y/f')
    expect(await after(() => write(root, 'inn/x/y/f', '3'))).toEqual(['updated inn/x/y/f'])
  })

  it('files().watch() goes on when the root itself was moved away and made again', { timeout: 30_000 }, async (context) => {
    const { root, after } = await watched(context, { listen: ['a.txt'] })
    expect(await after(() => fs.renameSync(root, `${root}-gone`))).toEqual(['list', 'updated a.txt'])
    const back = await after(() => {
      fs.mkdirSync(root)
      write(root, 'a.txt', 'back')
    })
    expect(back).toEqual(['list', 'updated a.txt'])
    expect(await after(() => write(root, 'a.txt', 'again'))).toEqual(['updated a.txt'])
    expect(await after(() => write(root, 'new.txt', ''))).toEqual(['list'])
    fs.rmSync(`${root}-gone`, { recursive: true })
  })

  it('files().watch() tells of a link when what it leads to changes', { timeout: 30_000 }, async (context) => {
    const { root, watcher, after } = await watched(context)
    fs.symlinkSync('sub/deep/y.txt', at(root, 'link.txt'))
    await watcher.add('file:///r/link.txt')
    expect(await after(() => write(root, 'sub/deep/y.txt', 'new'))).toContain('updated link.txt')
    const relinked = await after(() => {
      fs.unlinkSync(at(root, 'link.txt'))
      fs.symlinkSync('b.txt', at(root, 'link.txt'))
    })
    expect(relinked).toEqual(['updated link.txt'])
  })

  it('files().watch() tells of a folder when what it lists changes', { timeout: 30_000 }, async (context) => {
    const { root, after } = await watched(context, { listen: ['sub', ''] })
    expect(await after(() => write(root, 'sub/x.txt', 'longer'))).toEqual(['updated sub'])
    expect(await after(() => write(root, 'sub/new.txt', ''))).toEqual(['list sub', 'updated sub'])
    expect(await after(() => write(root, 'sub/deep/y.txt', 'longer'))).toEqual([])
    expect(await after(() => fs.unlinkSync(at(root, 'b.txt')))).toEqual(['list', 'updated'])
  })

  it('files().watch() tells of a file that comes back, and of rights that come and go', { timeout: 30_000 }, async (context) => {
    const { root, after } = await watched(context, { listen: ['a.txt'] })
    expect(await after(() => fs.unlinkSync(at(root, 'a.txt')))).toEqual(['list', 'updated a.txt'])
    expect(await after(() => write(root, 'a.txt', 'a'))).toEqual(['list', 'updated a.txt'])
    const denied = await after(() => fs.chmodSync(at(root, 'a.txt'), 0))
    // Nobody takes rights from the superuser.
    expect(denied).toEqual(process.getuid?.() === 0 ? [] : ['list', 'updated a.txt'])
  })

  it('files().watch() tells nothing of files with two names, with denyHardlinks', { timeout: 30_000 }, async (context) => {
    const { root, after } = await watched(context, { listen: ['sub/x.txt'], denyHardlinks: true })
    const outside = join(root, '..', `${basename(root)}.outside`)
    fs.writeFileSync(outside, 'secret')
    context.onTestFinished(() => fs.rmSync(outside))
    expect(await after(() => fs.linkSync(outside, at(root, 'sub/in.txt')))).toEqual([])
    expect(await after(() => fs.linkSync(outside, at(root, 'empty/in.txt')))).toEqual([])
    expect(await after(() => write(root, 'plain.txt', 'new'))).toEqual(['list'])
  })

  it('files().watch() tells of rules in ignore files that change, in any folder', { timeout: 30_000 }, async (context) => {
    const { root, after } = await watched(context, { listen: ['sub/x.txt'] })
    expect(await after(() => write(root, 'sub/.gitignore', 'x.txt\n'))).toEqual(['list sub', 'updated sub/x.txt'])
    expect(await after(() => write(root, 'sub/.gitignore', 'other\n'))).toEqual(['list sub', 'updated sub/x.txt'])
    expect(await after(() => write(root, '.gitignore', 'deep/\n'))).toEqual(['list sub/deep'])
  })

  it('files().watch() refuses to listen to what is none of its URIs', async (context) => {
    const { watcher } = await watched(context)
    await expect(watcher.add('other:1')).rejects.toMatchObject({ code: 'not-found' })
    await expect(watcher.add('file:///r/../x')).rejects.toMatchObject({ code: 'not-found' })
  })

  it(
    'files().watch() finds changes by looking where the system has no watches to give, and says so once',
    { timeout: 60_000 },
    () => {
      const program = `
      import { files } from ${JSON.stringify(join(import.meta.dirname, '../../../dist/providers/files/index.js'))}
      import { mkdtempSync, mkdirSync, writeFileSync, rmSync } from 'node:fs'
      const root = mkdtempSync('/tmp/shelfmark-limit-')
      for (let i = 0; i < 10; i++) mkdirSync(root + '/d' + i)
      const provider = files({ root, name: 'r', onWarning: (message) => console.log('warning', message.replaceAll(root.slice(5), 'ROOT')) })
      const watcher = await provider.watch((change) => console.log(JSON.stringify(change)))
      writeFileSync(root + '/d3/new.txt', '')
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      await watcher[Symbol.asyncDispose]()
      rmSync(root, { recursive: true })
    `
      const limited = (limit: string) =>
        spawnSync(
          'unshare',
          ['-Ur', 'sh', '-c', `echo ${limit} && exec "$0" --input-type=module -e "$1"`, process.execPath, program],
          {
            encoding: 'utf8',
            timeout: 30_000,
          },
        )
      const probe = limited('4 > /proc/sys/user/max_inotify_watches')
      if (probe.error !== undefined || /unshare|sh:|Permission denied/.test(probe.stderr)) {
        process.stderr.write('skipped: this machine lets nobody make a user namespace to run out of watches in\n')
        return
      }
      expect([probe.stdout, probe.stderr]).toEqual([
        'warning Changes in ROOT are found by looking every few seconds, since the system cannot tell of all of them: ' +
          `ENOSPC: System limit for number of file watchers reached\n{"kind":"list","under":"file:///r/d3"}\n`,
        '',
      ])
    },
  )
})

describe.concurrent('a watch of anything', () => {
  it.for(Array.from({ length: 16 }, (_, i) => i + 1))(
    'files().watch() tells exactly what differs after any burst of changes (seed %i)',
    { timeout: 60_000 },
    async (seed, context) => {
      const random = randomFrom(seed)
      const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
      const paths = ['a.txt', 'b.txt', 'sub/x.txt', 'sub/deep/y.txt', 'sub/new.txt', 'm/n/o.txt', 'm/n/p.txt']
      const { root, watcher, after } = await watched(context)
      for (const path of paths) await watcher.add(`file:///r/${path}`)
      const contents = (path: string) =>
        fs.statSync(at(root, path), { throwIfNoEntry: false })?.isFile() ? fs.readFileSync(at(root, path), 'utf8') : undefined
      const listed = () =>
        fs
          .readdirSync(root, { recursive: true, encoding: 'utf8' })
          .filter((path) => !/(^|\/)\./.test(path) && fs.statSync(at(root, path)).isFile())
          .toSorted()
      const steps: readonly (() => void)[] = [
        () => put(root, pick(paths), String(random())),
        () => put(root, pick(paths), 'same'),
        () => fs.rmSync(at(root, pick(paths)), { force: true }),
        () => fs.rmSync(at(root, pick(['sub', 'm', 'sub/deep', 'm/n'])), { recursive: true, force: true }),
        () => move(root, pick(paths), pick(paths)),
        () => move(root, pick(['sub', 'm', 'sub/deep', 'm/n']), pick(['moved', 'sub', 'm', 'm/n'])),
        () => {
          put(root, 'scratch.tmp', 'x')
          move(root, 'scratch.tmp', pick(paths))
        },
        () => fs.rmSync(at(root, 'moved'), { recursive: true, force: true }),
        () => put(root, `sub/${pick(['t1', 't2', 't3'])}`, ''),
      ]
      for (let burst = 0; burst < 6; burst++) {
        const before = new Map(paths.map((path) => [path, contents(path)]))
        const set = listed().join('\n')
        const told = await after(() => {
          for (let i = Math.floor(random() * 12); i >= 0; i--) pick(steps)()
        })
        const updates = told.filter((one) => one.startsWith('updated'))
        const differ = paths.filter((path) => contents(path) !== before.get(path)).map((path) => `updated ${path}`)
        expect([burst, updates]).toEqual([burst, differ.toSorted()])
        expect([burst, told.length - updates.length]).toEqual([burst, listed().join('\n') === set ? 0 : 1])
      }
    },
  )
})

/** Numbers from 0 to 1 that a seed repeats. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function put(root: string, path: string, text: string): void {
  fs.mkdirSync(join(root, path, '..'), { recursive: true })
  if (fs.statSync(at(root, path), { throwIfNoEntry: false })?.isDirectory() !== true) write(root, path, text)
}

/** A rename that may not be possible. */
function move(root: string, from: string, to: string): void {
  try {
    fs.mkdirSync(join(root, to, '..'), { recursive: true })
    fs.renameSync(at(root, from), at(root, to))
  } catch {
    // Into itself, onto a folder with files, or of what is not there.
  }
}

describe('a watch of much', () => {
  it(
    'files().watch() loses nothing of 20,000 files that come while nobody has time to listen',
    { timeout: 60_000 },
    async (context) => {
      const { root, watcher, changes } = await watched(context)
      const said = () => new Set(changes.map((change) => change.kind))
      for (let i = 0; i < 20_000; i++) write(root, `sub/n${i}`, '')
      await vi.waitFor(() => expect(said()).toEqual(new Set(['list'])), 20_000)
      await watcher.add('file:///r/sub/n19999')
      for (let i = 0; i < 20_000; i++) write(root, `sub/n${i}`, String(i))
      await vi.waitFor(() => expect(said()).toEqual(new Set(['list', 'updated'])), 20_000)
    },
  )
})
