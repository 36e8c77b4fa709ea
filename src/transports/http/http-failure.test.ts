import { describe, expect, it } from 'vitest'
import { networkFailure } from './http-failure.ts'

describe('networkFailure()', () => {
  it.each([
    [
      Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
      'unavailable',
      'http://a: nothing listens there: is the server running?',
    ],
    [
      new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' }) }),
      'unavailable',
      'http://a: its certificate has expired',
    ],
    [Object.assign(new Error('odd'), { code: 7 }), 'unavailable', 'http://a: odd'],
    [new DOMException('This operation was aborted', 'AbortError'), 'cancelled', 'Cancelled by the caller'],
    ['text', 'unavailable', 'http://a: text'],
  ])('explains %o', (error, code, message) => {
    expect(networkFailure(error, 'http://a')).toMatchObject({ code, message })
  })
})
