import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import type { Change, Provider } from '../../src/index.ts'

/** A provider that says what is done to its watch, and emits what it is told to. */
function watched(name: string, arm: () => Promise<void> = async () => {}) {
  const said: string[] = []
  const heard = new Set<(change: Change) => void>()
  const provider: Provider = {
    name,
    prefixes: [`${name}:`],
    list: async () => ({ items: [] }),
    read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: '' }] }),
    watch: async (onChange) => {
      said.push('watch')
      await arm()
      heard.add(onChange)
      return {
        add: async (uri) => void said.push(`add ${uri}`),
        remove: (uri) => void said.push(`remove ${uri}`),
        [Symbol.asyncDispose]: async () => {
          heard.delete(onChange)
          said.push('dispose')
        },
      }
    },
  }
  const emit = (change: Change) => heard.forEach((tell) => tell(change))
  return { provider, said, emit }
}

function pause(ms: number) {
  return new Promise<void>((resolve) => {
    setTimeout(resolve, ms)
  })
}

describe('Library.watch()', () => {
  it('Library.watch() arms each mount once, whoever listens, and disposes it with the last', async () => {
    const mount = watched('m')
    const library = createLibrary({ name: 'acme' }).mount(mount.provider)
    const [first, second]: [Change[], Change[]] = [[], []]
    const one = await library.watch((change) => first.push(change))
    const two = await library.watch((change) => second.push(change))
    await one.add('m:1')
    await two.add('m:1')
    one.remove('m:1')
    mount.emit({ kind: 'updated', uri: 'm:1' })
    await one[Symbol.asyncDispose]()
    await one[Symbol.asyncDispose]()
    mount.emit({ kind: 'list' })
    two.remove('m:1')
    await two[Symbol.asyncDispose]()
    expect(mount.said).toEqual(['watch', 'add m:1', 'remove m:1', 'dispose'])
    expect(first).toEqual([{ kind: 'updated', uri: 'm:1' }])
    expect(second).toEqual([{ kind: 'updated', uri: 'm:1' }, { kind: 'list' }])
  })

  it('Library.watch() hears mounts that come later, and no longer those that are gone', async () => {
    const mount = watched('m')
    const library = createLibrary({ name: 'acme' })
    const changes: Change[] = []
    const watcher = await library.watch((change) => changes.push(change))
    await watcher.add('team+m:1')
    library.mount(mount.provider, { at: 'team' })
    await pause(5)
    mount.emit({ kind: 'updated', uri: 'm:1' })
    expect(await library.unmount('m')).toBe(true)
    mount.emit({ kind: 'updated', uri: 'm:1' })
    expect(changes).toEqual([{ kind: 'list' }, { kind: 'updated', uri: 'team+m:1' }, { kind: 'list' }])
    expect(mount.said).toEqual(['watch', 'add m:1', 'dispose'])
    await watcher[Symbol.asyncDispose]()
  })

  it('Library.watch() does without a mount whose watch fails, and tries it again for its URIs', async () => {
    let failing = true
    const broken = watched('broken', async () => {
      if (failing) throw new Error('no watches left')
    })
    const sound = watched('sound')
    const library = createLibrary({ name: 'acme' }).mount(broken.provider).mount(sound.provider)
    const changes: Change[] = []
    const watcher = await library.watch((change) => changes.push(change))
    await expect(watcher.add('broken:1')).rejects.toMatchObject({ code: 'unavailable', details: { provider: 'broken' } })
    sound.emit({ kind: 'list' })
    failing = false
    await watcher.add('broken:1')
    broken.emit({ kind: 'updated', uri: 'broken:1' })
    expect(changes).toEqual([{ kind: 'list' }, { kind: 'updated', uri: 'broken:1' }])
    await watcher[Symbol.asyncDispose]()
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
    const library = createLibrary({ name: 'acme' }).mount(slow.provider)
    const changes: Change[] = []
    const watcher = await library.watch((change) => changes.push(change))
    await watcher.add('slow:1')
    armed()
    await pause(5)
    expect(changes.slice(0, 1)).toEqual([{ kind: 'lost' }])
    expect(slow.said).toContain('add slow:1')
    await watcher[Symbol.asyncDispose]()
  })

  it('Library.updated() lets everyone hear before what one of them throws', async () => {
    const library = createLibrary({ name: 'acme' })
    const heard: Change[] = []
    await library.watch(() => {
      throw new Error('mine')
    })
    await library.watch((change) => heard.push(change))
    expect(() => library.updated('x:1')).toThrow('mine')
    expect(heard).toEqual([{ kind: 'updated', uri: 'x:1' }])
  })
})
