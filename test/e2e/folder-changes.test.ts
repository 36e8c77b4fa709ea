import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CLI, endpoint, folderOfTest, run } from './command-line.ts'
import type { Target } from './official-clients.ts'
import { connectV1, connectV2 } from './official-clients.ts'

/** How many files of the folder are listened to: a listener may name 256. */
const LISTENED = 200
const FILES = 500

const nameOf = (index: number) => `src/f${String(index).padStart(3, '0')}.txt`
const uriOf = (path: string) => `file:///docs/${path}`

/** A client that listens to the set and to many files, and what it was told since it was last asked. */
interface Listener {
  heard(): readonly string[]
  forget(): void
}

type Connect = (target: Target, uris: readonly string[]) => Promise<Listener>

function ear() {
  const told: string[] = []
  return {
    updated: (uri: string) => void told.push(uri.replace('file:///docs/', '')),
    changed: () => void told.push('list'),
    listener: { heard: () => told.toSorted(), forget: () => void told.splice(0) } satisfies Listener,
  }
}

const CLIENTS: readonly (readonly [name: string, connect: Connect])[] = [
  [
    'client 2.4.0, 2026-07-28',
    async (target, uris) => {
      const { updated, changed, listener } = ear()
      const client = await connectV2(target, { pin: '2026-07-28' }, (fresh) => {
        fresh.setNotificationHandler('notifications/resources/updated', ({ params }) => updated(params.uri))
        fresh.setNotificationHandler('notifications/resources/list_changed', changed)
      })
      onTestFinished(() => client.close())
      const { honoredFilter } = await client.listen({ resourcesListChanged: true, resourceSubscriptions: [...uris] })
      expect(honoredFilter).toEqual({ resourcesListChanged: true, resourceSubscriptions: uris })
      return listener
    },
  ],
  [
    'client 2.4.0, legacy',
    async (target, uris) => {
      const { updated, changed, listener } = ear()
      const client = await connectV2(target, 'legacy', (fresh) => {
        fresh.setNotificationHandler('notifications/resources/updated', ({ params }) => updated(params.uri))
        fresh.setNotificationHandler('notifications/resources/list_changed', changed)
      })
      onTestFinished(() => client.close())
      await Promise.all(uris.map((uri) => client.subscribeResource({ uri })))
      return listener
    },
  ],
  [
    'sdk 1.32.2',
    async (target, uris) => {
      const { updated, changed, listener } = ear()
      const client = await connectV1(target, (fresh) => {
        fresh.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updated(params.uri))
        fresh.setNotificationHandler(ResourceListChangedNotificationSchema, changed)
      })
      onTestFinished(() => client.close())
      await Promise.all(uris.map((uri) => client.subscribeResource({ uri })))
      return listener
    },
  ],
]

const at = (root: string, path: string) => join(root, path)
const write = (root: string, path: string, text: string) => fs.writeFileSync(at(root, path), text)
const git = (root: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main', ...args], {
    cwd: root,
  })

/** A repository with a branch in which all files are changed, and one in which one is gone and one has come. */
function repository(): string {
  const root = folderOfTest()
  fs.mkdirSync(at(root, 'src'))
  for (let i = 0; i < FILES; i++) write(root, nameOf(i), `main ${i}\n`)
  write(root, 'README.md', '# main\n')
  git(root, 'init', '-q')
  const commit = (message: string) => {
    git(root, 'add', '-A')
    git(root, 'commit', '-q', '-m', message)
  }
  commit('main')
  git(root, 'checkout', '-q', '-b', 'changed')
  for (let i = 0; i < FILES; i++) write(root, nameOf(i), `changed ${i}\n`)
  commit('changed')
  git(root, 'checkout', '-q', '-b', 'moved')
  fs.renameSync(at(root, nameOf(0)), at(root, 'src/moved.txt'))
  commit('moved')
  git(root, 'checkout', '-q', 'main')
  return root
}

/** What is done to the folder, and what must be told: nothing else, and nothing twice. */
const STEPS: readonly (readonly [what: string, act: (root: string) => void, told: readonly string[]])[] = [
  ['an editor writes in place', (root) => write(root, nameOf(1), 'by an editor\n'), [nameOf(1)]],
  [
    'an editor keeps a backup, renames, and cleans up',
    (root) => {
      write(root, 'src/4913', '')
      fs.unlinkSync(at(root, 'src/4913'))
      fs.renameSync(at(root, nameOf(2)), at(root, `${nameOf(2)}~`))
      write(root, `src/.f002.txt.swp`, 'x')
      write(root, nameOf(2), 'by vim\n')
      fs.unlinkSync(at(root, `${nameOf(2)}~`))
      fs.unlinkSync(at(root, 'src/.f002.txt.swp'))
    },
    [nameOf(2)],
  ],
  [
    'a program replaces a file atomically',
    (root) => {
      write(root, 'src/.f003.tmp-1234', 'replaced\n')
      fs.renameSync(at(root, 'src/.f003.tmp-1234'), at(root, nameOf(3)))
    },
    [nameOf(3)],
  ],
  ['sed edits in place', (root) => execFileSync('sed', ['-i', 's/main/edited/', nameOf(4)], { cwd: root }), [nameOf(4)]],
  ['a touch changes nothing', (root) => execFileSync('touch', [nameOf(5)], { cwd: root }), []],
  ['git takes the edits back', (root) => git(root, 'checkout', '-q', '.'), [1, 2, 3, 4].map(nameOf)],
  [
    'git checks out a branch with 500 changed files',
    (root) => git(root, 'checkout', '-q', 'changed'),
    Array.from({ length: LISTENED }, (_, i) => nameOf(i)),
  ],
  ['git checks out a branch with a renamed file', (root) => git(root, 'checkout', '-q', 'moved'), ['list', nameOf(0)]],
  ['and the one before', (root) => git(root, 'checkout', '-q', 'changed'), ['list', nameOf(0)]],
  [
    'a folder is removed',
    (root) => {
      fs.cpSync(at(root, 'src'), at(root, '.copy'), { recursive: true })
      fs.rmSync(at(root, 'src'), { recursive: true })
    },
    ['list', ...Array.from({ length: LISTENED }, (_, i) => nameOf(i))],
  ],
  [
    'and made again',
    (root) => fs.cpSync(at(root, '.copy'), at(root, 'src'), { recursive: true }),
    ['list', ...Array.from({ length: LISTENED }, (_, i) => nameOf(i))],
  ],
  ['a file of it is written', (root) => write(root, nameOf(7), 'after all that\n'), [nameOf(7)]],
]

async function follow(root: string, listeners: readonly Listener[]): Promise<void> {
  for (const [what, act, told] of STEPS) {
    for (const listener of listeners) listener.forget()
    act(root)
    for (let heard = -1, now = 0; heard !== now || (told.length > 0 && now === 0);) {
      heard = now
      await pause(900)
      now = listeners.reduce((sum, listener) => sum + listener.heard().length, 0)
    }
    for (const listener of listeners) expect([what, listener.heard()]).toEqual([what, told.toSorted()])
  }
}

const uris = Array.from({ length: LISTENED }, (_, i) => uriOf(nameOf(i)))

describe('shelfmark serve', () => {
  it('tells each client over HTTP exactly what changed in a folder', { timeout: 60_000 }, async () => {
    const root = repository()
    const url = await endpoint(run([CLI, 'serve', `docs=${root}`, '--http', '0']))
    await follow(root, await Promise.all(CLIENTS.map(([, connect]) => connect({ url }, uris))))
  })

  it('tells each client on stdio exactly what changed in a folder', { timeout: 60_000 }, async () => {
    const root = repository()
    const args = [CLI, 'serve', `docs=${root}`]
    await follow(root, await Promise.all(CLIENTS.map(([, connect]) => connect({ args }, uris))))
  })
})
