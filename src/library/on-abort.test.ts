import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { Call } from './call.ts'
import { localCall } from './call.ts'
import { createLibrary } from './library.ts'
import type { Provider } from './provider.ts'
import { concurrency } from './policies/concurrency.ts'
import { deadline } from './policies/deadline.ts'
import { offAbort, onAbort } from './on-abort.ts'

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

describe('onAbort()', () => {
  it('calls back all when the signal fires, and those no longer that went', () => {
    const controller = new AbortController()
    const called: string[] = []
    const [one, two, three] = ['one', 'two', 'three'].map((name) => () => void called.push(name)) as [
      () => void,
      () => void,
      () => void,
    ]
    for (const call of [one, two, three]) onAbort(controller.signal, call)
    offAbort(controller.signal, two)
    offAbort(controller.signal, two)
    expect(listeners(controller.signal)).toBe(1)
    controller.abort()
    expect([called, listeners(controller.signal)]).toEqual([['one', 'three'], 0])
  })

  it('leaves nothing on a signal that nobody waits for', () => {
    const { signal } = new AbortController()
    const call = (): void => undefined
    onAbort(signal, call)
    offAbort(signal, call)
    expect(listeners(signal)).toBe(0)
    onAbort(signal, call)
    expect(listeners(signal)).toBe(1)
  })
})

describe('deadline() and concurrency()', () => {
  it('put one listener on the signal of a Call, whatever it does side by side, and take it back', async () => {
    const { signal } = new AbortController()
    const ends: (() => void)[] = []
    const slow: Provider = {
      name: 'slow',
      prefixes: ['x:'],
      list: async () => ({ items: [] }),
      read: ({ uri }, call: Call) =>
        new Promise((resolve) => {
          call.signal.addEventListener('abort', () => undefined)
          ends.push(() => resolve({ kind: 'contents', contents: [{ uri, text: uri }] }))
        }),
    }
    const library = createLibrary({ name: 'acme' })
      .mount(slow)
      .use(concurrency({ total: 20 }))
      .use(deadline())
    const call = localCall({ signal })
    const reads = Array.from({ length: 40 }, (_, i) => library.read({ uri: `x:${i}`, maxBytes: 100 }, call))
    await expect.poll(() => ends.length).toBe(20)
    expect(listeners(signal)).toBe(1)
    for (let done = 0; done < 40; done++) {
      await expect.poll(() => ends.length).toBeGreaterThan(done)
      ends[done]!()
      const result = await reads[done]!
      if (result.kind === 'contents') await result[Symbol.asyncDispose]?.()
    }
    expect(listeners(signal)).toBe(0)
  })
})
