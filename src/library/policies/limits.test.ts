import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure } from '../../../test/library/reading.ts'
import { memory } from '../../providers/memory/index.ts'
import { localCall } from '../call.ts'
import { createLibrary } from '../library.ts'
import type { Page, Provider, ReadResult } from '../provider.ts'
import { limits } from './limits.ts'

const call = localCall()

/** A provider that gives what it is told to, whatever it is asked for, and remembers what that was. */
function stubborn(gives: Partial<{ page: Page<{ uri: string; name: string }>; result: ReadResult; values: string[] }>) {
  const asked: object[] = []
  const page = async (request: object): Promise<Page<{ uri: string; name: string }>> => {
    asked.push(request)
    return gives.page ?? { items: [] }
  }
  const provider: Provider = {
    name: 'stubborn',
    prefixes: ['x:'],
    list: page,
    children: page,
    templates: async (request) => ({ items: [{ uriTemplate: (await page(request)).items[0]!.uri, name: 'n'.repeat(50) }] }),
    stat: async ({ uri }) => ({ resource: { uri, name: 'x' } }),
    read: async (request) => {
      asked.push(request)
      return gives.result ?? { kind: 'contents', contents: [{ uri: request.uri, text: '' }] }
    },
    complete: async (request) => {
      asked.push(request)
      return { values: gives.values ?? [] }
    },
  }
  return { provider, asked }
}

const item = (uri: string) => ({ uri, name: 'x' })

describe('limits()', () => {
  it('refuses a read of more bytes than it may have, told to the provider and counted in what it gives', async () => {
    let disposed = 0
    const result: ReadResult = {
      kind: 'contents',
      contents: [
        { uri: 'x:1', text: 'é' },
        { uri: 'x:2', bytes: { size: 9, open: async function* () {} } },
      ],
      [Symbol.asyncDispose]: async () => void disposed++,
    }
    const { provider, asked } = stubborn({ result })
    const tight = limits({ maxRead: 10 })(provider)
    expect(await failure(tight.read({ uri: 'x:1', maxBytes: 1_000 }, call))).toMatchObject({
      code: 'too-large',
      details: { size: 11, limit: 10 },
    })
    expect(disposed).toBe(1)
    expect(await limits({ maxRead: 11 })(provider).read({ uri: 'x:1', maxBytes: 5 }, call)).toMatchObject({ kind: 'contents' })
    expect(asked).toEqual([
      { uri: 'x:1', maxBytes: 10 },
      { uri: 'x:1', maxBytes: 5 },
    ])
  })

  it('counts the part of a range, and leaves it to the provider to cut', async () => {
    const shelf = limits({ maxRead: 3 })(memory({ resources: [{ uri: 'x:1', text: 'abcdef' }] }))
    const range = { offset: 2, length: 3 }
    expect(await shelf.read({ uri: 'x:1', range, maxBytes: 100 }, call)).toMatchObject({
      range: { offset: 2, length: 3, total: 6 },
    })
    expect(await failure(shelf.read({ uri: 'x:1', range: { offset: 0 }, maxBytes: 100 }, call))).toMatchObject({
      code: 'too-large',
      details: { size: 6, limit: 3 },
    })
  })

  it('refuses a read of too many contents, and disposes it', async () => {
    let disposed = 0
    const contents = Array.from({ length: 3 }, (_, i) => ({ uri: `x:${i}`, text: '' }))
    const { provider } = stubborn({ result: { kind: 'contents', contents, [Symbol.asyncDispose]: async () => void disposed++ } })
    expect(await failure(limits({ contents: 2 })(provider).read({ uri: 'x:1', maxBytes: 9 }, call))).toMatchObject({
      code: 'refused',
      message: 'The resource has 3 contents and the limit is 2; read them one by one',
    })
    expect(disposed).toBe(1)
  })

  it('asks for no more items than it may have, and takes no more', async () => {
    const { provider, asked } = stubborn({ page: { items: [item('x:1'), item('x:2')], next: 'here' } })
    const shelf = limits({ items: 2 })(provider)
    const page = { items: [item('x:1'), item('x:2')], next: 'here' }
    expect(await shelf.list({ limit: 100, after: 'there' }, call)).toEqual(page)
    expect(await shelf.children!({ uri: 'x:d', limit: 100 }, call)).toEqual(page)
    expect(asked).toEqual([
      { limit: 2, after: 'there' },
      { uri: 'x:d', limit: 2 },
    ])
    expect(await failure(shelf.list({ limit: 1 }, call))).toMatchObject({
      code: 'internal',
      message: 'stubborn gave 2 items, asked for 1 at most',
    })
  })

  it('leaves out items whose URI nobody can ask for, and says so', async () => {
    const notice = { level: 'info', message: 'busy today' } as const
    const { provider } = stubborn({ page: { items: [item('x:1'), item(`x:${'y'.repeat(8191)}`)], notices: [notice] } })
    expect(await limits()(provider).list({ limit: 10 }, call)).toEqual({
      items: [item('x:1')],
      notices: [
        notice,
        { level: 'warning', provider: 'stubborn', message: 'Left out: 1 with a URI of more than 8192 characters' },
      ],
    })
  })

  it('cuts the texts of items and templates', async () => {
    const long = { uri: 'x:1', name: 'n'.repeat(50), title: 't'.repeat(50), description: 'short', mimeType: 'm'.repeat(50) }
    const { provider } = stubborn({ page: { items: [long] } })
    const shelf = limits({ text: 5 })(provider)
    expect((await shelf.list({ limit: 10 }, call)).items).toEqual([{ ...long, name: 'nnnn…', title: 'tttt…' }])
    expect((await shelf.templates!({ limit: 10 }, call)).items).toEqual([{ uriTemplate: 'x:1', name: 'nnnn…' }])
  })

  it('never cuts a text in the middle of a character, or into more than it may have', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 12 }), async (name, text) => {
        const { provider } = stubborn({ page: { items: [{ uri: 'x:1', name }] } })
        const [got] = (await limits({ text })(provider).list({ limit: 1 }, call)).items
        expect(got!.name.length).toBeLessThanOrEqual(text)
        expect(got!.name.isWellFormed()).toBe(true)
        if (name.length <= text) expect(got!.name).toBe(name)
      }),
    )
  })

  it.each([
    ['x://host/a/b', true],
    ['x://host//a//b/', true],
    ['x:a/b?q=/c/d#/e/f', true],
    ['x://host/a/b/c', false],
    ['x:a/b/c', false],
    ['x:///a/b/c', false],
  ])('opens the directory %s, two levels deep at most: %s', async (uri, opened) => {
    const { provider } = stubborn({})
    const children = limits({ depth: 2 })(provider).children!({ uri, limit: 1 }, call)
    if (opened) expect(await children).toEqual({ items: [] })
    else {
      const message = 'The directory is 3 levels deep and the limit is 2'
      expect(await failure(children)).toMatchObject({ code: 'refused', message, details: { uri } })
    }
  })

  it('gives no more values than it may, and none that is too long', async () => {
    const { provider, asked } = stubborn({ values: ['a', 'b'.repeat(9), 'c', 'd'] })
    const request = { template: 'x:{y}', variable: 'y', prefix: '', arguments: {}, limit: 100 }
    expect(await limits({ values: 2, text: 8 })(provider).complete!(request, call)).toEqual({ values: ['a', 'c'], hasMore: true })
    expect(await limits({ values: 4 })(provider).complete!(request, call)).toEqual({
      values: ['a', 'bbbbbbbbb', 'c', 'd'],
    })
    expect(asked).toMatchObject([{ limit: 2 }, { limit: 4 }])
  })

  it('leaves alone what is within it, in a Library too', async () => {
    const shelf = createLibrary({ name: 'acme' })
      .mount(limits()(memory({ resources: [{ uri: 'x:1', text: 'one' }] })))
      .use(limits())
    expect(await shelf.read({ uri: 'x:1', maxBytes: 3 }, call)).toMatchObject({ contents: [{ text: 'one' }] })
    expect((await shelf.list({ limit: 1 }, call)).items).toMatchObject([{ uri: 'x:1', size: 3 }])
    expect(await shelf.stat({ uri: 'x:1' }, call)).toMatchObject({ resource: { uri: 'x:1' } })
  })

  it.each([
    ['maxRead', -1],
    ['contents', 0],
    ['items', 1.5],
    ['depth', Number.NaN],
    ['values', Infinity],
    ['text', 0],
  ])('refuses %s: %s', (option, value) => {
    expect(() => limits({ [option]: value })).toThrow(expect.objectContaining({ code: 'invalid-option', details: { option } }))
  })
})
