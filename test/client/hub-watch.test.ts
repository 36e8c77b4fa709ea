import { describe, expect, it, onTestFinished } from 'vitest'
import { openHub } from '../../src/client/index.ts'
import type { Connect } from '../../src/client/index.ts'
import type { Change } from '../../src/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { listeningServer } from './listening-server.ts'
import { failure, pass } from './opened-client.ts'
import { modernServer } from './scripted-server.ts'

function watched(servers: Readonly<Record<string, Connect>>) {
  const clock = createFakeClock()
  const hub = openHub({ servers, clock, client: { random: () => 0 } })
  onTestFinished(() => hub[Symbol.asyncDispose]())
  const changes: Change[] = []
  const watching = hub.watch((change) => changes.push(change))
  return { clock, hub, changes, watching }
}

describe('watch() of a Hub', () => {
  it('tells changes under the names that URIs have outside', async () => {
    const [a, b] = [listeningServer(), listeningServer()]
    const { clock, changes, watching } = watched({ a: a.connect, b: b.connect })
    await pass(clock, 100)
    const watcher = await watching
    const added = [watcher.add('a+x:1'), watcher.add('b+x:1'), watcher.add('b+x:1')]
    await pass(clock, 100)
    await Promise.all(added)
    a.update('x:1')
    b.changeSet()
    b.update('x:1')
    await pass(clock, 10)
    expect(changes).toHaveLength(3)
    expect(changes).toEqual(
      expect.arrayContaining([
        { kind: 'updated', uri: 'a+x:1' },
        { kind: 'list', under: 'b+' },
        { kind: 'updated', uri: 'b+x:1' },
      ]),
    )
    watcher.remove('b+x:1')
    b.update('x:1')
    await pass(clock, 10)
    expect(changes).toHaveLength(3)
    await watcher[Symbol.asyncDispose]()
    await pass(clock, 10)
    expect([a.listening, b.listening, clock.pending]).toEqual([[], [], 0])
  })

  it('is armed although one server hangs and one is gone, and hears of them when they come', async () => {
    let away = true
    const late = listeningServer()
    const gone = () => {
      if (away) throw new Error('gone')
      return late.connect()
    }
    const good = listeningServer()
    const { clock, changes, watching } = watched({ hanging: modernServer(() => undefined).connect, gone, good: good.connect })
    await pass(clock, 5_000)
    const watcher = await watching
    good.changeSet()
    await pass(clock, 10)
    expect(changes).toEqual([{ kind: 'list', under: 'good+' }])
    away = false
    await pass(clock, 31_000, 1_000)
    expect(changes.slice(1)).toContainEqual({ kind: 'list', under: 'gone+' })
    changes.length = 0
    late.changeSet()
    await pass(clock, 10)
    expect(changes).toEqual([{ kind: 'list', under: 'gone+' }])
    await watcher[Symbol.asyncDispose]()
  })

  it('tells of everything that may have been missed when a server was away', async () => {
    const a = listeningServer()
    const { clock, changes, watching } = watched({ a: a.connect, b: listeningServer().connect })
    await pass(clock, 100)
    const watcher = await watching
    const added = watcher.add('a+x:1')
    await pass(clock, 15_000, 1_000)
    await added
    a.die()
    await pass(clock, 3_000)
    expect(changes).toHaveLength(2)
    expect(changes).toEqual(
      expect.arrayContaining([
        { kind: 'list', under: 'a+' },
        { kind: 'updated', uri: 'a+x:1' },
      ]),
    )
  })

  it('add() fails with its server, and works when that is back', async () => {
    let away = true
    const server = listeningServer()
    const a = () => {
      if (away) throw new Error('gone')
      return server.connect()
    }
    const { clock, changes, watching } = watched({ a, b: listeningServer().connect })
    await pass(clock, 100)
    const watcher = await watching
    const first = failure(watcher.add('a+x:1'))
    await pass(clock, 100)
    expect(await first).toContain('gone')
    expect(await failure(watcher.add('x:1'))).toContain('not-found')
    away = false
    await pass(clock, 31_000, 1_000)
    const second = watcher.add('a+x:1')
    await pass(clock, 100)
    await second
    changes.length = 0
    server.update('x:1')
    await pass(clock, 10)
    expect(changes).toEqual([{ kind: 'updated', uri: 'a+x:1' }])
    await watcher[Symbol.asyncDispose]()
  })
})
