import { describe, expect, it } from 'vitest'
import { fromWireError } from './from-wire-error.ts'

const READ = { method: 'resources/read', uri: 'x:1' }
const LIST = { method: 'resources/list', cursor: true }

describe('fromWireError()', () => {
  it.each([
    [-32_002, READ, 'not-found', { uri: 'x:1' }],
    [-32_602, READ, 'not-found', { uri: 'x:1' }],
    [-32_002, LIST, 'server-error', { rpcCode: -32_002, data: {} }],
    [-32_602, LIST, 'invalid-cursor', {}],
    [-32_602, { method: 'resources/directory/read', uri: 'x:1', cursor: true }, 'invalid-cursor', {}],
    [-32_602, { method: 'resources/list', cursor: false }, 'invalid-params', {}],
    [-32_601, READ, 'method-not-found', { method: 'resources/read' }],
    [-32_021, READ, 'missing-capability', { requiredCapabilities: {} }],
    [-32_603, READ, 'server-error', { rpcCode: -32_603, data: {} }],
    [10_400, READ, 'refused', { uri: 'x:1' }],
    [10_413, READ, 'too-large', { size: 0, limit: 0 }],
    [10_429, READ, 'busy', {}],
    [10_503, READ, 'unavailable', {}],
    [10_504, READ, 'timeout', { afterMs: 0 }],
    [42, READ, 'server-error', { rpcCode: 42, data: {} }],
  ])('makes of %i for %o the code %s', (code, asked, wanted, details) => {
    const error = fromWireError({ code, message: '', data: {} }, asked)
    expect([error.code, error.details]).toEqual([wanted, details])
    expect(error.message).not.toBe('')
  })

  it.each([[undefined], [null], [7], [[]], [{}], [{ code: '7', message: {} }], [{ code: Number.NaN, data: null }]])(
    'makes a server error of %j',
    (error) => {
      expect(fromWireError(error, READ).code).toBe('server-error')
    },
  )

  it('takes numbers that are none for 0, and cuts long texts', () => {
    const large = fromWireError({ code: 10_413, message: 'x'.repeat(100_000), data: { size: '5', limit: 1 / 0 } }, READ)
    expect([large.details, large.message.length]).toEqual([{ size: 0, limit: 0 }, 1_000])
  })
})
