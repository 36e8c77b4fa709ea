import { describe, expect, it } from 'vitest'
import { ShelfError } from '../errors.ts'
import { isRequestId, objectParam, readMessage, stringParam } from './message.ts'

const NOT_AN_OBJECT = { kind: 'invalid', reason: 'A message is a JSON object' }
const NO_VERSION = { kind: 'invalid', reason: 'jsonrpc must be "2.0"' }
const NEITHER = { kind: 'invalid', reason: 'A message has a method, or an id with a result or an error' }

describe('readMessage()', () => {
  it.each([
    [
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { kind: 'request', id: 1, method: 'ping', params: {} },
    ],
    [
      { jsonrpc: '2.0', id: 'a', method: 'ping', params: { x: 1 } },
      { kind: 'request', id: 'a', method: 'ping', params: { x: 1 } },
    ],
    [
      { jsonrpc: '2.0', id: '', method: '' },
      { kind: 'request', id: '', method: '', params: {} },
    ],
    [
      { jsonrpc: '2.0', id: -1, method: 'ping' },
      { kind: 'request', id: -1, method: 'ping', params: {} },
    ],
    [
      { jsonrpc: '2.0', id: 1, method: 'ping', result: {} },
      { kind: 'request', id: 1, method: 'ping', params: {} },
    ],
    [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { kind: 'notification', method: 'notifications/initialized', params: {} },
    ],
    [
      { jsonrpc: '2.0', method: 'n', params: { x: 1 } },
      { kind: 'notification', method: 'n', params: { x: 1 } },
    ],
    [
      { jsonrpc: '2.0', id: 1, result: {} },
      { kind: 'response', id: 1 },
    ],
    [
      { jsonrpc: '2.0', id: 'a', error: { code: 1, message: 'm' } },
      { kind: 'response', id: 'a' },
    ],
    [
      { jsonrpc: '2.0', id: 1, result: null },
      { kind: 'response', id: 1 },
    ],
  ])('takes %j', (value, message) => {
    expect(readMessage(value)).toEqual(message)
  })

  it.each([
    [null, NOT_AN_OBJECT],
    [undefined, NOT_AN_OBJECT],
    ['{}', NOT_AN_OBJECT],
    [7, NOT_AN_OBJECT],
    [true, NOT_AN_OBJECT],
    [[], NOT_AN_OBJECT],
    [[{ jsonrpc: '2.0', id: 1, method: 'ping' }], NOT_AN_OBJECT],
    [{}, NO_VERSION],
    [{ jsonrpc: 2, id: {}, method: 'ping' }, NO_VERSION],
    [
      { jsonrpc: '2.00', id: 1, method: 'ping' },
      { ...NO_VERSION, id: 1 },
    ],
    [
      { id: 'a', method: 'ping' },
      { ...NO_VERSION, id: 'a' },
    ],
    [
      { jsonrpc: '2.0', id: null, method: 'ping' },
      { kind: 'invalid', reason: 'id must be a string or an integer' },
    ],
    [
      { jsonrpc: '2.0', id: 1.5, method: 'ping' },
      { kind: 'invalid', reason: 'id must be a string or an integer' },
    ],
    [
      { jsonrpc: '2.0', id: 2 ** 53, method: 'ping' },
      { kind: 'invalid', reason: 'id must be a string or an integer' },
    ],
    [
      { jsonrpc: '2.0', id: 1, method: 'ping', params: [] },
      { kind: 'invalid', id: 1, reason: 'params must be an object' },
    ],
    [
      { jsonrpc: '2.0', method: 'n', params: null },
      { kind: 'invalid', reason: 'params must be an object' },
    ],
    [
      { jsonrpc: '2.0', id: 1, method: 7 },
      { kind: 'invalid', id: 1, reason: 'method must be a string' },
    ],
    [
      { jsonrpc: '2.0', id: 1, method: null },
      { kind: 'invalid', id: 1, reason: 'method must be a string' },
    ],
    [{ jsonrpc: '2.0' }, NEITHER],
    [
      { jsonrpc: '2.0', id: 1 },
      { ...NEITHER, id: 1 },
    ],
    [{ jsonrpc: '2.0', result: {} }, NEITHER],
    [{ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'm' } }, NEITHER],
  ])('refuses %j, keeping the id that it could read', (value, message) => {
    expect(readMessage(value)).toEqual(message)
  })
})

describe('isRequestId()', () => {
  it.each([
    ['a', true],
    ['', true],
    [0, true],
    [-1, true],
    [9_007_199_254_740_991, true],
    [9_007_199_254_740_992, false],
    [0.5, false],
    [Number.NaN, false],
    [Number.POSITIVE_INFINITY, false],
    [null, false],
    [undefined, false],
    [true, false],
    [{}, false],
    [[1], false],
  ])('%j is %j', (value, is) => {
    expect(isRequestId(value)).toBe(is)
  })
})

describe('stringParam()', () => {
  it('gives a string as it is, the empty one too', () => {
    expect(stringParam({ uri: 'a:b' }, 'uri')).toBe('a:b')
    expect(stringParam({ uri: '' }, 'uri')).toBe('')
  })

  it.each([[{}], [{ uri: null }], [{ uri: 7 }], [{ uri: ['a'] }]])('names the parameter that is no string in %j', (params) => {
    expect(() => stringParam(params, 'uri')).toThrowError(
      new ShelfError('invalid-params', 'params.uri must be a string', { param: 'uri' }),
    )
  })
})

describe('objectParam()', () => {
  it('gives an object, or undefined where there is none', () => {
    expect(objectParam({ ref: { a: 1 } }, 'ref')).toEqual({ a: 1 })
    expect(objectParam({}, 'ref')).toBeUndefined()
  })

  it.each([[{ ref: null }], [{ ref: [] }], [{ ref: 'a' }]])('names the parameter that is no object in %j', (params) => {
    expect(() => objectParam(params, 'ref')).toThrowError(
      new ShelfError('invalid-params', 'params.ref must be an object', { param: 'ref' }),
    )
  })
})
