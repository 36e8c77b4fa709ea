import { describe, expect, it } from 'vitest'
import { createLibrary, definePolicy, localCall } from '../../src/index.ts'
import type { Provider } from '../../src/index.ts'

function provider(more: Partial<Provider> = {}): Provider {
  return {
    name: 'p',
    prefixes: ['p:'],
    list: async () => ({ items: [{ uri: 'p:1', name: '1' }] }),
    read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: 'p' }] }),
    ...more,
  }
}

const call = localCall()

describe('Library starts and disposes its mounts', () => {
  it('Library.read() starts the mount it asks when nobody called start()', async () => {
    const said: string[] = []
    const library = createLibrary({ name: 'acme' }).mount(
      provider({
        start: async () => void said.push('start'),
        read: async ({ uri }) => {
          said.push('read')
          return { kind: 'contents', contents: [{ uri, text: '' }] }
        },
      }),
    )
    await library.read({ uri: 'p:1', maxBytes: 1 }, call)
    await library.start()
    await library.list({ limit: 1 }, call)
    expect(said).toEqual(['start', 'read'])
  })

  it('Library.mount() of a provider whose start throws fails its reads, not the mounting', async () => {
    const library = createLibrary({ name: 'acme' })
    await library.start()
    library.mount(
      provider({
        start: () => {
          throw new Error('no')
        },
      }),
    )
    await expect(library.read({ uri: 'p:1', maxBytes: 1 }, call)).rejects.toThrow('no')
  })

  it('Library disposes each mount once, and all of them although one fails', async () => {
    const said: string[] = []
    const disposing = (name: string, fails: boolean): Provider =>
      provider({
        name,
        prefixes: [`${name}:`],
        [Symbol.asyncDispose]: async () => {
          if (fails) throw new Error(`${name} fails`)
          await Promise.resolve()
          said.push(name)
        },
      })
    const library = createLibrary({ name: 'acme' }).mount(disposing('a', true)).mount(disposing('b', false))
    await expect(library[Symbol.asyncDispose]()).rejects.toThrow('a fails')
    expect(said).toEqual(['b'])
    await expect(library[Symbol.asyncDispose]()).rejects.toThrow('a fails')
    expect(await library.unmount('b')).toBe(true)
    expect(said).toEqual(['b'])
  })
})

describe('Library.mount() takes prefixes in any spelling', () => {
  it.each([
    ['X://A/', 'x://A/1'],
    ['x://caf%c3%a9/', 'x://caf%C3%A9/1'],
    ['x://café/', 'x://caf%C3%A9/1'],
    ['Hub+', 'hub+y:1'],
  ])('a prefix %s owns %s', async (prefix, uri) => {
    const library = createLibrary({ name: 'acme' }).mount(provider({ prefixes: [prefix] }))
    expect(await library.read({ uri, maxBytes: 1 }, call)).toMatchObject({ contents: [{ uri, text: 'p' }] })
  })

  it.each(['', 'no scheme', 'x://{id}/', 'x:%zz'])('a prefix %j is refused, since no URI begins with it', (prefix) => {
    expect(() => createLibrary({ name: 'acme' }).mount(provider({ prefixes: [prefix] }))).toThrow(
      expect.objectContaining({ code: 'invalid-option', details: { option: 'prefixes' } }),
    )
  })
})

describe('a list whose caller gave up', () => {
  it('Library.list() asks no further mounts', async () => {
    const asked: string[] = []
    const controller = new AbortController()
    const hanging = (name: string): Provider =>
      provider({
        name,
        prefixes: [`${name}:`],
        list: () => {
          asked.push(name)
          controller.abort()
          return new Promise(() => {})
        },
      })
    const library = createLibrary({ name: 'acme', listBudgetMs: 20 }).mount(hanging('a')).mount(hanging('b'))
    await expect(library.list({ limit: 1 }, localCall({ signal: controller.signal }))).rejects.toMatchObject({ code: 'timeout' })
    expect(asked).toEqual(['a'])
  })

  it('definePolicy() scans no further pages for one that keeps nothing', async () => {
    let pages = 0
    const controller = new AbortController()
    const library = createLibrary({ name: 'acme' })
      .mount(
        provider({
          list: async () => {
            if (++pages === 2) controller.abort()
            return { items: [{ uri: `p:${pages}`, name: '' }], next: pages }
          },
        }),
      )
      .use(definePolicy({ name: 'nothing', keep: () => false }))
    await expect(library.list({ limit: 100 }, localCall({ signal: controller.signal }))).rejects.toMatchObject({
      code: 'cancelled',
    })
    expect(pages).toBe(2)
  })
})
