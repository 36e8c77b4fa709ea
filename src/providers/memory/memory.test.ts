import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { localCall } from '../../library/index.ts'
import type { Change } from '../../library/index.ts'
import { providerCases } from '../../testing/index.ts'
import { memory } from './index.ts'

const call = localCall()

const cost = async (count: number) => {
  const provider = memory({ resources: Array.from({ length: count }, (_, i) => ({ uri: `x://${i}`, text: '' })) })
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round++) {
    const begun = performance.now()
    for (let i = 0; i < 200; i++) await provider.list({ after: count / 2, limit: 50 }, call)
    best = Math.min(best, performance.now() - begun)
  }
  return best
}

describe('memory() passes the provider suite', () => {
  let added = 0
  const cases = providerCases(async () => {
    const provider = memory({
      name: 'notes',
      prefixes: ['note://'],
      resources: [
        { uri: 'note://a/plain', text: 'hello' },
        { uri: 'note://a/empty.md', text: '' },
        { uri: 'note://a/caf%C3%A9', text: 'é 日本 😀' },
        { uri: 'note://b/bytes.png', bytes: Uint8Array.of(0, 1, 255) },
        { uri: 'note://b/data', json: { a: [1, null] } },
        { uri: 'note://b/q?x=1#f', text: 'query' },
      ],
    })
    return {
      provider,
      missing: 'note://a/missing',
      insert: async () => {
        const uri = `note://new/${added++}`
        provider.add({ uri, text: 'new' })
        return uri
      },
      remove: async (uri: string) => void provider.remove(uri),
    }
  })
  it.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    await expect(one.run()).resolves.toBe(undefined)
  })
})

describe('memory()', () => {
  it('memory() lists name, type and size, and says what the author said', async () => {
    const provider = memory({
      resources: [
        { uri: 'x://a/read%20me.md', text: 'é', title: 'T', annotations: { priority: 1 } },
        { uri: 'x://a/data', json: { a: 1 } },
        { uri: 'x://a/b.bin', bytes: Uint8Array.of(1), mimeType: 'image/png', name: 'own' },
        { uri: 'urn:x', text: 't' },
      ],
    })
    expect((await provider.list({ limit: 10 }, call)).items).toEqual([
      {
        uri: 'x://a/read%20me.md',
        name: 'read me.md',
        mimeType: 'text/markdown',
        size: 2,
        title: 'T',
        annotations: { priority: 1 },
      },
      { uri: 'x://a/data', name: 'data', mimeType: 'application/json', size: 7 },
      { uri: 'x://a/b.bin', name: 'own', mimeType: 'image/png', size: 1 },
      { uri: 'urn:x', name: 'x', mimeType: 'text/plain', size: 1 },
    ])
    expect(await provider.read({ uri: 'x://a/data', maxBytes: 100 }, call)).toMatchObject({
      kind: 'contents',
      contents: [{ uri: 'x://a/data', mimeType: 'application/json', text: '{"a":1}' }],
    })
  })

  it('memory() finds an equal URI and echoes the one it was asked', async () => {
    const provider = memory({ resources: [{ uri: 'x://a/~b', text: 't' }] })
    expect(await provider.read({ uri: 'X://a/%7eb', maxBytes: 9 }, call)).toMatchObject({
      contents: [{ uri: 'X://a/%7eb', text: 't' }],
    })
  })

  it('memory() refuses two equal URIs and names both', () => {
    expect(() =>
      memory({
        resources: [
          { uri: 'x://a/~b', text: '' },
          { uri: 'x://a/%7Eb', text: '' },
        ],
      }),
    ).toThrow(expect.objectContaining({ code: 'duplicate', details: { first: 'x://a/~b', second: 'x://a/%7Eb' } }))
  })

  it('memory() refuses a lone surrogate and a bad name', () => {
    expect(() => memory({ resources: [{ uri: 'x://a', text: '\ud800' }] })).toThrow(
      expect.objectContaining({ code: 'invalid-option' }),
    )
    expect(() => memory({ name: 'A b' })).toThrow(expect.objectContaining({ code: 'invalid-option' }))
  })

  it('memory() refuses a position that is not its own', async () => {
    await expect(memory().list({ after: 'x', limit: 1 }, call)).rejects.toMatchObject({ code: 'invalid-cursor' })
  })

  it('memory() reads part of a text as bytes', async () => {
    const provider = memory({ resources: [{ uri: 'x://a', text: 'aéb' }] })
    expect(await provider.read({ uri: 'x://a', maxBytes: 9, range: { offset: 1, length: 2 } }, call)).toMatchObject({
      contents: [{ bytes: Uint8Array.of(0xc3, 0xa9) }],
      range: { offset: 1, length: 2, total: 4 },
    })
    expect(await provider.read({ uri: 'x://a', maxBytes: 9, range: { offset: 99 } }, call)).toMatchObject({
      range: { offset: 4, length: 0, total: 4 },
    })
  })

  it('memory() reports additions, updates with their version, and removals', async () => {
    const provider = memory({ resources: [{ uri: 'x://a', text: '1' }] })
    const changes: Change[] = []
    const watcher = await provider.watch((change) => void changes.push(change))
    provider.update('x://a', { text: '2' })
    const { version } = await provider.stat({ uri: 'x://a' }, call)
    provider.update('x://a', { text: '22' })
    provider.update('x://a', { text: '22', title: 'Twenty-two' })
    provider.add({ uri: 'x://b', text: '' })
    expect(provider.remove('x://b')).toBe(true)
    expect(provider.remove('x://b')).toBe(false)
    await watcher[Symbol.asyncDispose]()
    provider.add({ uri: 'x://c', text: '' })
    expect(changes).toEqual([
      { kind: 'updated', uri: 'x://a', version },
      { kind: 'updated', uri: 'x://a', version: expect.stringMatching(/./) },
      { kind: 'updated', uri: 'x://a', version: expect.stringMatching(/./) },
      { kind: 'list' },
      { kind: 'list' },
      { kind: 'updated', uri: 'x://b' },
      { kind: 'list' },
    ])
    expect(() => provider.update('x://nowhere', { text: '' })).toThrow(expect.objectContaining({ code: 'not-found' }))
  })

  it('memory() agrees with a plain array over any additions, removals and pages', () => {
    const step = fc.oneof(fc.record({ add: fc.nat(30) }), fc.record({ remove: fc.nat(30) }))
    return fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 7 }), async (steps, limit) => {
        const provider = memory()
        const model: string[] = []
        for (const one of steps) {
          const uri = `x://${'add' in one ? one.add : one.remove}`
          if ('remove' in one) {
            provider.remove(uri)
            if (model.includes(uri)) model.splice(model.indexOf(uri), 1)
          } else if (!model.includes(uri)) {
            provider.add({ uri, text: '' })
            model.push(uri)
          }
        }
        const seen: string[] = []
        let page = await provider.list({ limit }, call)
        for (;;) {
          seen.push(...page.items.map((item) => item.uri))
          if (page.next === undefined) break
          page = await provider.list({ limit, after: page.next }, call)
        }
        expect(seen).toEqual(model)
      }),
    )
  })

  it('memory() pages 100,000 items at a cost that does not grow with their number', { retry: 3 }, async () => {
    const small = await cost(1_000)
    expect((await cost(100_000)) / small).toBeLessThan(8)
  })
})
