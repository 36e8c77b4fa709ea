import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { Change, Library } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { watched } from './watched-provider.ts'

const clock = createFakeClock()
/** Changes are told when none has come for a tenth of a second. */
const tell = () => clock.advance(100)

describe('Library.watch()', () => {
  it('Library.watch() arms each mount once, whoever listens, and disposes it with the last', async () => {
    const mount = watched('m')
    const library = createLibrary({ name: 'acme', clock }).mount(mount.provider)
    const [first, second]: [Change[], Change[]] = [[], []]
    const one = await library.watch((change) => first.push(change))
    const two = await library.watch((change) => second.push(change))
    await one.add('m:1')
    await two.add('m:1')
    one.remove('m:1')
    mount.emit({ kind: 'updated', uri: 'm:1' })
    tell()
    await one[Symbol.asyncDispose]()
    await one[Symbol.asyncDispose]()
    mount.emit({ kind: 'list' })
    tell()
    two.remove('m:1')
    await two[Symbol.asyncDispose]()
    expect(mount.said).toEqual(['watch', 'add m:1', 'remove m:1', 'dispose'])
    expect(first).toEqual([{ kind: 'updated', uri: 'm:1' }])
    expect(second).toEqual([{ kind: 'updated', uri: 'm:1' }, { kind: 'list' }])
  })

  it('Library.watch() watches nothing that nobody asked for, and no longer than that', async () => {
    const [first, second] = [watched('a'), watched('b')]
    const library = createLibrary({ name: 'acme', clock }).mount(first.provider).mount(second.provider)
    const changes: Change[] = []
    const watcher = await library.watch((change) => changes.push(change), 'asked')
    expect([first.said, second.said]).toEqual([[], []])
    await watcher.add('a:1')
    expect([first.said, second.said]).toEqual([['watch', 'add a:1'], []])
    first.emit({ kind: 'updated', uri: 'a:2' })
    first.emit({ kind: 'list' })
    tell()
    expect(changes).toEqual([])
    await watcher.addLists()
    expect(second.said).toEqual(['watch'])
    watcher.remove('a:1')
    await pause(1)
    expect(first.said).toEqual(['watch', 'add a:1', 'remove a:1'])
    watcher.removeLists()
    await pause(1)
    expect([first.said.at(-1), second.said]).toEqual(['dispose', ['watch', 'dispose']])
    await watcher[Symbol.asyncDispose]()
  })

  it('Library.watch() hears mounts that come later, and no longer those that are gone', async () => {
    const mount = watched('m')
    const library = createLibrary({ name: 'acme', clock })
    const changes: Change[] = []
    const watcher = await library.watch((change) => changes.push(change))
    await watcher.add('team+m:1')
    library.mount(mount.provider, { at: 'team' })
    await pause(5)
    mount.emit({ kind: 'updated', uri: 'm:1' })
    tell()
    expect(await library.unmount('m')).toBe(true)
    mount.emit({ kind: 'updated', uri: 'm:1' })
    tell()
    const under = 'team+m:'
    const updated = { kind: 'updated', uri: 'team+m:1' }
    expect(changes).toEqual([{ kind: 'list', under }, updated, { kind: 'list', under }, updated])
    expect(mount.said).toEqual(['watch', 'add m:1', 'dispose'])
    await watcher[Symbol.asyncDispose]()
  })

  it('Library.watch() does without a mount whose watch fails, and tries it again for its URIs', async () => {
    let failing = true
    const broken = watched('broken', async () => {
      if (failing) throw new Error('no watches left')
    })
    const sound = watched('sound')
    const library = createLibrary({ name: 'acme', clock }).mount(broken.provider).mount(sound.provider)
    const changes: Change[] = []
    const watcher = await library.watch((change) => changes.push(change))
    await expect(watcher.add('broken:1')).rejects.toMatchObject({ code: 'unavailable', details: { provider: 'broken' } })
    sound.emit({ kind: 'list' })
    failing = false
    await watcher.add('broken:1')
    broken.emit({ kind: 'updated', uri: 'broken:1' })
    tell()
    expect(changes).toEqual([{ kind: 'list' }, { kind: 'updated', uri: 'broken:1' }])
    await watcher[Symbol.asyncDispose]()
    expect(broken.said).toEqual(['watch', 'watch', 'watch', 'add broken:1', 'remove broken:1', 'dispose'])
  })

  it('Library.watch() does not wait for a mount that takes its time, and reports `lost` when it arms', async () => {
    let armed!: () => void
    const slow = watched(
      'slow',
      () =>
        new Promise((resolve) => {
          armed = resolve
        }),
    )
    const library = createLibrary({ name: 'acme', clock }).mount(slow.provider)
    const changes: Change[] = []
    const watcher = await library.watch((change) => changes.push(change))
    await watcher.add('slow:1')
    armed()
    await pause(5)
    tell()
    expect(changes).toEqual([{ kind: 'lost' }])
    expect(slow.said).toContain('add slow:1')
    await watcher[Symbol.asyncDispose]()
  })

  it('Library.watch() lets everyone hear although one of them throws', async () => {
    const library = createLibrary({ name: 'acme', clock })
    const heard: Change[] = []
    await library.watch(() => {
      throw new Error('mine')
    })
    await library.watch((change) => heard.push(change))
    library.updated('x:1')
    tell()
    expect(heard).toEqual([{ kind: 'updated', uri: 'x:1' }])
  })
})

describe('a change', () => {
  async function heard(library: Library, interest: 'all' | 'asked' = 'all') {
    const changes: Change[] = []
    const watcher = await library.watch((change) => changes.push(change), interest)
    return { changes, watcher }
  }

  it('is told when none like it came for 100 ms, or after a second of them', async () => {
    const library = createLibrary({ name: 'acme', clock })
    const { changes } = await heard(library)
    for (let i = 0; i < 5; i++) {
      library.updated('x:1', `v${i}`)
      clock.advance(90)
    }
    expect(changes).toEqual([])
    clock.advance(10)
    expect(changes).toEqual([{ kind: 'updated', uri: 'x:1', version: 'v4' }])
    for (let i = 0; i < 40; i++) {
      library.updated('x:1', `w${i}`)
      clock.advance(50)
    }
    clock.advance(100)
    // Two seconds of changes: after one second, after another, and after the last.
    expect(changes.slice(1)).toEqual(['w19', 'w39'].map((version) => ({ kind: 'updated', uri: 'x:1', version })))
    expect(clock.pending).toBe(0)
  })

  it('does not wait for changes of something else', async () => {
    const library = createLibrary({ name: 'acme', clock })
    const { changes } = await heard(library)
    library.listChanged()
    for (let i = 0; i < 12; i++) {
      library.updated('x:1', `v${i}`)
      clock.advance(10)
    }
    expect(changes).toEqual([{ kind: 'list' }])
  })

  it('is told again only with another version, and always without one', async () => {
    const library = createLibrary({ name: 'acme', clock })
    const { changes, watcher } = await heard(library)
    await watcher.add('x:1')
    for (const version of ['1', '1', '2', undefined, '2', undefined, undefined]) {
      library.updated('X:1', version)
      tell()
    }
    expect(changes.map((change) => ('version' in change ? change.version : undefined))).toEqual([
      '1',
      '2',
      undefined,
      '2',
      undefined,
      undefined,
    ])
  })

  it('is not told to those who began to listen after it, and is not lost to the others', async () => {
    const library = createLibrary({ name: 'acme', clock })
    const early = await heard(library, 'asked')
    await early.watcher.add('x:1')
    await early.watcher.addLists()
    library.updated('x:1')
    library.listChanged()
    clock.advance(50)
    const late = await heard(library, 'asked')
    await late.watcher.add('x:1')
    await late.watcher.addLists()
    tell()
    expect(early.changes).toEqual([{ kind: 'updated', uri: 'x:1' }, { kind: 'list' }])
    expect(late.changes).toEqual([])
  })

  it('of 20,000 URIs at once becomes one that says that anything may have changed', async () => {
    const library = createLibrary({ name: 'acme', clock })
    const { changes } = await heard(library)
    for (let i = 0; i < 20_000; i++) library.updated(`x:${i}`)
    tell()
    expect(changes.filter((change) => change.kind === 'lost')).toEqual([{ kind: 'lost' }])
    expect(changes.length).toBeLessThan(10_001)
  })

  it('of the set says where, as long as it was one place', async () => {
    const library = createLibrary({ name: 'acme', clock })
    const { changes } = await heard(library)
    library.resource('note://1', () => '')
    tell()
    library.template('note://{id}{?v}', () => '')
    library.resource('other://2', () => '')
    tell()
    library.remove('note://1')
    tell()
    expect(changes).toEqual([
      { kind: 'list', under: 'note://1' },
      { kind: 'list' },
      { kind: 'updated', uri: 'note://1' },
      { kind: 'list', under: 'note://1' },
    ])
  })
})

describe('dependsOn', () => {
  it('tells of an index when an item changes, comes or goes, and once', async () => {
    const library = createLibrary({ name: 'acme', clock })
      .resource('note://recent', { dependsOn: ['note://items/'] }, () => '')
      .resource('note://digest', { dependsOn: ['note://recent'] }, () => '')
      .resource('note://items/1', () => '')
    const changes: Change[] = []
    const watcher = await library.watch((change) => changes.push(change), 'asked')
    for (const uri of ['note://items/1', 'note://recent', 'note://digest']) await watcher.add(uri)
    const uris = () => changes.splice(0).map((change) => ('uri' in change ? change.uri : change.kind))
    library.updated('note://items/1')
    library.updated('note://items/1')
    tell()
    expect(uris()).toEqual(['note://items/1', 'note://recent', 'note://digest'])
    library.resource('note://items/2', () => '')
    tell()
    expect(uris()).toEqual(['note://recent', 'note://digest'])
    library.updated('note://elsewhere')
    library.resource('other://1', () => '')
    tell()
    expect(uris()).toEqual([])
    library.remove('note://recent')
    library.updated('note://items/1')
    tell()
    expect(uris()).toEqual(['note://recent', 'note://digest', 'note://items/1'])
  })

  it('asks the mounts of what is depended on, as long as somebody listens', async () => {
    const mount = watched('m')
    const library = createLibrary({ name: 'acme', clock })
      .mount(mount.provider)
      .resource('own:index', { dependsOn: ['m:a', 'm:b/'] }, () => '')
    const changes: Change[] = []
    const watcher = await library.watch((change) => changes.push(change), 'asked')
    await watcher.add('own:index')
    expect(mount.said).toEqual(['watch', 'add m:a', 'add m:b'])
    mount.emit({ kind: 'updated', uri: 'm:b/deep' })
    tell()
    expect(changes).toEqual([{ kind: 'updated', uri: 'own:index' }])
    await watcher[Symbol.asyncDispose]()
    expect(mount.said.slice(3).toSorted()).toEqual(['dispose', 'remove m:a', 'remove m:b'])
  })

  it('goes round in a circle once', async () => {
    const library = createLibrary({ name: 'acme', clock })
      .resource('a:1', { dependsOn: ['b:1'] }, () => '')
      .resource('b:1', { dependsOn: ['a:1'] }, () => '')
    const changes: Change[] = []
    await library.watch((change) => changes.push(change))
    library.updated('a:1')
    tell()
    expect(changes).toEqual([
      { kind: 'updated', uri: 'a:1' },
      { kind: 'updated', uri: 'b:1' },
    ])
  })

  it('is refused for text with which no URI begins', () => {
    const library = createLibrary({ name: 'acme' })
    expect(() => library.resource('a:1', { dependsOn: ['no scheme'] }, () => '')).toThrow(
      'The resource a:1 depends on "no scheme", with which no URI begins: a prefix has a scheme and no braces',
    )
    expect(library.isEmpty).toBe(true)
  })
})
