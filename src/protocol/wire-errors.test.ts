import { describe, expect, it } from 'vitest'
import { notFound, ShelfError } from '../errors.ts'
import type { ErrorCode, ErrorDetails } from '../errors.ts'
import { isInternal, toWireError, WIRE_ERRORS } from './wire-errors.ts'

/** One error of each code, as legacy and as modern peers see it. */
const TABLE: readonly (readonly [ErrorCode, object, legacy: object, modern: object])[] = [
  ['parse-error', {}, said(-32700), said(-32700)],
  ['invalid-request', {}, said(-32600), said(-32600)],
  ['method-not-found', { method: 'm' }, said(-32601), said(-32601)],
  ['invalid-params', { param: 'p' }, said(-32602), said(-32602)],
  ['invalid-cursor', {}, { code: -32602, message: 'Invalid cursor' }, { code: -32602, message: 'Invalid cursor' }],
  ['invalid-uri', { uri: 'u', reason: 'percent', offset: 0 }, said(-32602), said(-32602)],
  ['invalid-values', { template: 't', variable: 'v', reason: 'nul' }, said(-32602), said(-32602)],
  [
    'not-found',
    { uri: 'a:b' },
    { code: -32002, message: 'Resource not found', data: { uri: 'a:b' } },
    { code: -32602, message: 'Resource not found', data: { uri: 'a:b' } },
  ],
  ['header-mismatch', { header: 'Mcp-Name' }, said(-32600), said(-32020)],
  [
    'missing-capability',
    { requiredCapabilities: { elicitation: {} } },
    { ...said(-32600), data: { requiredCapabilities: { elicitation: {} } } },
    { ...said(-32021), data: { requiredCapabilities: { elicitation: {} } } },
  ],
  [
    'unsupported-version',
    { supported: ['2026-07-28'], requested: '1' },
    { code: -32602, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'], requested: '1' } },
    { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'], requested: '1' } },
  ],
  ['unsupported', { operation: 'o' }, said(-32602), said(-32602)],
  ['refused', { uri: 'u' }, said(10400), said(10400)],
  [
    'too-large',
    { size: 2, limit: 1 },
    { ...said(10413), data: { size: 2, limit: 1 } },
    { ...said(10413), data: { size: 2, limit: 1 } },
  ],
  ['busy', { retryAfterMs: 5 }, { ...said(10429), data: { retryAfterMs: 5 } }, { ...said(10429), data: { retryAfterMs: 5 } }],
  [
    'unavailable',
    { provider: 'p' },
    { code: 10503, message: 'Unavailable for now' },
    { code: 10503, message: 'Unavailable for now' },
  ],
  ['timeout', { afterMs: 5 }, { ...said(10504), data: { afterMs: 5 } }, { ...said(10504), data: { afterMs: 5 } }],
  ['cancelled', {}, { code: 10499, message: 'Cancelled' }, { code: 10499, message: 'Cancelled' }],
  [
    'ambiguous',
    { uri: 'a:b', owners: ['x+a:b', 'y+a:b'] },
    { ...said(-32602), data: { uri: 'a:b', owners: ['x+a:b', 'y+a:b'] } },
    { ...said(-32602), data: { uri: 'a:b', owners: ['x+a:b', 'y+a:b'] } },
  ],
  ['server-error', { rpcCode: -1 }, behind('answered with an error'), behind('answered with an error')],
  ['invalid-answer', { method: 'm' }, behind('gave no valid answer'), behind('gave no valid answer')],
  ['invalid-template', { template: 't', reason: 'empty', offset: 0 }, internal(), internal()],
  ['duplicate', { first: 'f', second: 's' }, internal(), internal()],
  ['invalid-option', { option: 'o' }, internal(), internal()],
  ['internal', {}, internal(), internal()],
]

/** The message is the author's own, and nothing else crosses. */
function said(code: number): object {
  return { code, message: 'the message' }
}

/** What another server said stays here. */
function behind(what: string): object {
  return { code: 10502, message: `The server behind this one ${what}` }
}

function internal(): object {
  return { code: -32603, message: 'Internal error' }
}

describe('toWireError()', () => {
  it.each(TABLE)('%s: number, message and data of both eras', (code, details, legacy, modern) => {
    const error = new ShelfError(code, 'the message', details as ErrorDetails[typeof code], { cause: new Error('secret') })
    expect(toWireError(error, 'legacy')).toEqual(legacy)
    expect(toWireError(error, 'modern')).toEqual(modern)
  })

  it('is pinned above for every code there is', () => {
    expect(new Set(TABLE.map(([code]) => code))).toEqual(new Set(Object.keys(WIRE_ERRORS)))
    expect(TABLE).toHaveLength(Object.keys(WIRE_ERRORS).length)
  })

  it.each([[new Error('/etc/passwd')], ['text'], [undefined], [null], [{ code: -32000 }]])('says nothing of %j', (thrown) => {
    for (const era of ['legacy', 'modern'] as const) {
      expect(toWireError(thrown, era)).toEqual({ code: -32603, message: 'Internal error' })
    }
  })

  it('tells aborts and timeouts of the platform', () => {
    expect(toWireError(AbortSignal.abort().reason, 'modern')).toEqual({ code: 10499, message: 'Cancelled' })
    expect(toWireError(new DOMException('x', 'TimeoutError'), 'modern')).toEqual({
      code: 10504,
      message: 'No answer in the time allowed',
      data: { afterMs: 0 },
    })
  })

  it('says the same of everything that is not readable', () => {
    expect(toWireError(notFound('a:b'), 'modern')).toEqual(
      toWireError(new ShelfError('not-found', 'Denied: a:b lies outside /srv', { uri: 'a:b' }), 'modern'),
    )
  })
})

describe('isInternal()', () => {
  it('holds for errors whose message stays here, and for no other', () => {
    const found = TABLE.filter(([code, details]) =>
      isInternal(new ShelfError(code, 'm', details as ErrorDetails[typeof code])),
    ).map(([code]) => code)
    expect(found).toEqual(['invalid-template', 'duplicate', 'invalid-option', 'internal'])
  })
})
