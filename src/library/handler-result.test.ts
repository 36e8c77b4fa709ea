import { describe, expect, it } from 'vitest'
import { ShelfError } from '../errors.ts'
import { runHandler, toReadResult } from './handler-result.ts'

const request = (maxBytes: number) => ({ uri: 'test:a', maxBytes })

describe('toReadResult()', () => {
  it('counts the bytes of a text in UTF-8 when it may be too large', () => {
    expect(toReadResult('äöü', request(6), undefined)).toEqual({
      kind: 'contents',
      contents: [{ uri: 'test:a', mimeType: 'text/plain', text: 'äöü' }],
    })
    expect(() => toReadResult('äöü', request(5), undefined)).toThrow('The resource has 6 bytes; the limit is 5')
    expect(() => toReadResult('€€', request(5), undefined)).toThrow('The resource has 6 bytes; the limit is 5')
    expect(() => toReadResult('🙂', request(3), undefined)).toThrow('The resource has 4 bytes; the limit is 3')
    expect(() => toReadResult('abcdef', request(5), undefined)).toThrow('The resource has 6 bytes; the limit is 5')
  })

  it('counts all pieces of content together', () => {
    const contents = [
      { uri: 'test:a', text: 'abc' },
      { uri: 'test:b', bytes: new Uint8Array(3) },
    ]
    expect(() => toReadResult(contents, request(5), undefined)).toThrow('The resource has 6 bytes; the limit is 5')
  })
})

describe('runHandler()', () => {
  it('rejects for a handler that throws at once, and for one that rejects later', async () => {
    const error = new ShelfError('refused', 'Not today', {})
    const throwing = () => {
      throw error
    }
    await expect(runHandler(throwing, request(9), undefined, undefined)).rejects.toBe(error)
    await expect(runHandler(async () => throwing(), request(9), undefined, undefined)).rejects.toBe(error)
  })

  it('takes text, a promise of text, and whatever has a then', async () => {
    const whole = { kind: 'contents', contents: [{ uri: 'test:a', mimeType: 'text/plain', text: 'x' }] }
    // oxlint-disable-next-line unicorn/no-thenable -- a thenable is what this is about
    const thenable = { then: (done: (text: string) => void) => done('x') }
    for (const result of ['x', Promise.resolve('x'), thenable]) {
      expect(await runHandler(() => result, request(9), undefined, undefined)).toEqual(whole)
    }
  })

  it('says not found for undefined, at once and later', async () => {
    for (const result of [undefined, Promise.resolve(undefined)]) {
      await expect(runHandler(() => result, request(9), undefined, undefined)).rejects.toMatchObject({ code: 'not-found' })
    }
  })

  it('adds the hint to a read that has none', async () => {
    const hint = { ttlMs: 5, cacheScope: 'public' } as const
    expect(await runHandler(() => 'x', request(9), undefined, hint)).toMatchObject({ hint })
  })
})
