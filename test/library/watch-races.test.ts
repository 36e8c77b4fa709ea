import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createLibrary, ShelfError } from '../../src/index.ts'
import type { Change } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { watched } from './watched-provider.ts'

const never = () => new Promise<void>(() => {})

/** A Library with the mounts, and a watch on it that hears what is asked for. */
async function watching(...mounts: readonly ReturnType<typeof watched>[]) {
  const clock = createFakeClock()
  const library = createLibrary({ name: 'acme', clock })
  for (const { provider } of mounts) library.mount(provider)
  const changes: Change[] = []
  const watcher = await library.watch((change) => changes.push(change), 'asked')
  return { library, watcher, changes, tell: () => clock.advance(100), end: () => watcher[Symbol.asyncDispose]() }
}

describe('Library.watch()', () => {
  it('Library.watch() does not tell a mount of what was taken back while it armed', async () => {
    const mount = watched('m', () => pause(20))
    const { watcher, end } = await watching(mount)
    const lists = watcher.addLists()
    const added = watcher.add('m:1')
    watcher.remove('m:1')
    await Promise.all([lists, added])
    await end()
    expect(mount.said).toEqual(['watch', 'dispose'])
  })

  it('Library.watch() leaves nothing with a mount that nobody listens to when it has armed', async () => {
    const mount = watched('m', () => pause(20))
    const { watcher, end } = await watching(mount)
    const added = watcher.add('m:1')
    watcher.remove('m:1')
    await added
    await pause(1)
    expect(mount.said).toEqual(['watch', 'dispose'])
    await end()
  })

  it('Library.watch() tells a mount that arms late of each URI once', async () => {
    let armed = () => {}
    const mount = watched('m', () => new Promise((resolve) => (armed = resolve)))
    const { watcher, end } = await watching(mount)
    const [first, second] = [watcher.add('m:1'), pause(700).then(() => watcher.add('m:2'))]
    await first
    armed()
    await second
    await pause(1)
    expect(mount.said).toEqual(['watch', 'add m:1', 'add m:2'])
    await end()
  })

  it('Library.watch() tells a mount of what was listened to while it could not be watched', async () => {
    let failing = true
    const mount = watched('m', async () => {
      if (failing) throw new Error('no watches left')
    })
    const { library, watcher, end } = await watching()
    await watcher.add('m:1')
    library.mount(mount.provider)
    await pause(1)
    failing = false
    await watcher.add('m:2')
    expect(mount.said).toEqual(['watch', 'watch', 'add m:1', 'add m:2'])
    await end()
  })

  it('Library.watch() does not wait for a mount that never takes a URI, and says when it did', async () => {
    let taken = () => {}
    const mount = watched('m', undefined, (uri) => (uri === 'm:never' ? never() : new Promise((resolve) => (taken = resolve))))
    const { watcher, changes, tell, end } = await watching(mount)
    await Promise.all([watcher.add('m:never'), watcher.add('m:late')])
    taken()
    await pause(1)
    tell()
    expect(changes).toEqual([{ kind: 'updated', uri: 'm:late' }])
    await end()
  })

  it('Library.watch() refuses a URI whose mount timed out, as it does one that failed', async () => {
    const mount = watched('m', async () => {
      throw new ShelfError('timeout', 'No answer within 10 ms', { afterMs: 10 })
    })
    const { watcher, end } = await watching(mount)
    await expect(watcher.add('m:1')).rejects.toMatchObject({ code: 'unavailable' })
    await end()
  })

  it('Library.watch() waits for mounts that take any URI side by side', async () => {
    let waiting = 0
    const any = (name: string) => ({ ...watched(name).provider, prefixes: 'any' as const })
    const library = createLibrary({ name: 'acme' })
    for (const name of ['a', 'b', 'c']) library.mount({ ...any(name), watch: () => (waiting++, new Promise(() => {})) })
    const watcher = await library.watch(() => undefined, 'asked')
    const added = watcher.add('x:1')
    await pause(1)
    expect(waiting).toBe(3)
    await added
    await watcher[Symbol.asyncDispose]()
  })

  it('Library.watch() arms what two resources depend on before either is listened to', async () => {
    let armed = false
    const mount = watched('m', async () => {
      await pause(20)
      armed = true
    })
    const { library, watcher, end } = await watching(mount)
    for (const uri of ['own:a', 'own:b']) library.resource(uri, { dependsOn: ['m:1'] }, () => '')
    const first = watcher.add('own:a')
    await watcher.add('own:b')
    expect(armed).toBe(true)
    await first
    await end()
  })

  it('Library.watch() follows a resource that is made again with something else to depend on', async () => {
    const mount = watched('m')
    const { library, watcher, changes, tell, end } = await watching(mount)
    library.resource('own:a', { dependsOn: ['m:1'] }, () => '')
    await watcher.add('own:a')
    library.remove('own:a')
    library.resource('own:a', { dependsOn: ['m:2'] }, () => '')
    await pause(1)
    tell()
    mount.emit({ kind: 'updated', uri: 'm:2' })
    tell()
    const updated = { kind: 'updated', uri: 'own:a' }
    expect(changes).toEqual([updated, updated])
    await end()
    expect(mount.said.filter((text) => text !== 'watch' && text !== 'dispose')).toEqual([
      'add m:1',
      'remove m:1',
      'add m:2',
      'remove m:2',
    ])
  })

  it('Library.watch() tells of what is listened to when its mount comes or goes', async () => {
    const { library, watcher, changes, tell, end } = await watching()
    await watcher.add('m:1')
    library.mount(watched('m').provider)
    tell()
    await library.unmount('m')
    tell()
    const updated = { kind: 'updated', uri: 'm:1' }
    expect(changes).toEqual([updated, updated])
    await end()
  })

  it('Library.watch() tells of the version that was told before, if changes may have been missed since', async () => {
    const mount = watched('m')
    const { watcher, changes, tell, end } = await watching(mount)
    await watcher.add('m:1')
    const updated: Change = { kind: 'updated', uri: 'm:1', version: '1' }
    for (const change of [updated, updated, { kind: 'lost' }, updated] satisfies Change[]) {
      mount.emit(change)
      tell()
    }
    expect(changes).toEqual([updated, { kind: 'lost' }, updated])
    await end()
  })

  it('Library.watch() tells of a storm while it goes on', async () => {
    const mount = watched('m')
    const clock = createFakeClock()
    const library = createLibrary({ name: 'acme', clock }).mount(mount.provider)
    const changes: Change[] = []
    const watcher = await library.watch((change) => changes.push(change))
    for (let round = 0; round < 25; round++) {
      for (let i = 0; i <= 10_000; i++) mount.emit({ kind: 'updated', uri: `m:${i}` })
      clock.advance(50)
    }
    expect(changes).toEqual([{ kind: 'lost' }])
    await watcher[Symbol.asyncDispose]()
  })
})
