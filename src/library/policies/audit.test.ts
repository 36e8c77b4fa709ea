import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { failure, text } from '../../../test/library/reading.ts'
import { createFakeClock } from '../../testing/index.ts'
import type { Call, Operation } from '../call.ts'
import { localCall } from '../call.ts'
import { createLibrary } from '../library.ts'
import type { AuditOptions } from './audit.ts'
import { audit } from './audit.ts'
import { auditedUri } from './audit-uri.ts'
import { deadline } from './deadline.ts'

const ALICE: Call = localCall({
  principal: { id: 'alice', kind: 'authenticated', scopes: ['secret-scope'], claims: { token: 'secret-claim' } },
})

function audited(options: Partial<AuditOptions> = {}) {
  const lines: string[] = []
  const clock = createFakeClock()
  const policy = audit({ sink: { write: (line) => lines.push(line) }, clock, ...options })
  const shelf = createLibrary({ name: 'acme' })
    .resource('x:text', () => {
      clock.advance(1.25)
      return 'secret-\u00e9'
    })
    .resource('x:stream', () => ({
      kind: 'contents',
      contents: [{ uri: 'x:stream', bytes: { size: 1234, open: async function* () {} } }],
    }))
    .resource('x:odd', () => ({
      kind: 'contents',
      contents: [{ uri: 'x:odd', bytes: { size: Number.NaN, open: async function* () {} } }],
    }))
    .resource('x:broken', () => {
      throw new Error('secret-message')
    })
    .resource('x:slow', () => new Promise(() => undefined))
    .template('t:{x}{?q}', { complete: { x: ['a'] } }, ({ x }) => x)
    .use(policy)
    .use(deadline({ ms: 10, clock }))
  const records = (): unknown[] => lines.map((line) => JSON.parse(line) as unknown)
  return { lines, records, clock, policy, shelf }
}

describe('audit()', () => {
  it('writes a line for every operation, with what it was about and what came of it', async () => {
    const { records, shelf } = audited()
    await shelf.list({ limit: 9 }, ALICE)
    await shelf.templates({ limit: 9 }, ALICE)
    await shelf.read({ uri: 'x:text', maxBytes: 99 }, ALICE)
    await shelf.read({ uri: 'x:stream', maxBytes: 9999 }, localCall())
    await shelf.stat({ uri: 'x:text' }, ALICE)
    await failure(shelf.children({ uri: 'x:', limit: 9 }, ALICE))
    const typed = { variable: 'x', prefix: 'secret-prefix', arguments: { q: 'secret-argument' }, limit: 9 }
    await shelf.complete({ template: 't:{x}{?q}', ...typed }, ALICE)
    const time = '2026-01-01T00:00:00.000Z'
    const later = '2026-01-01T00:00:00.001Z'
    const alice = { principal: 'alice', kind: 'authenticated' }
    expect(records()).toEqual([
      { time, ...alice, operation: 'list', outcome: 'ok', ms: 0 },
      { time, ...alice, operation: 'templates', outcome: 'ok', ms: 0 },
      { time, ...alice, operation: 'read', uri: 'x:text', outcome: 'ok', ms: 1.25, bytes: 9 },
      { time: later, principal: 'local', kind: 'local', operation: 'read', uri: 'x:stream', outcome: 'ok', ms: 0, bytes: 1234 },
      { time: later, ...alice, operation: 'stat', uri: 'x:text', outcome: 'ok', ms: 0 },
      { time: later, ...alice, operation: 'children', uri: 'x:', outcome: 'not-found', ms: 0 },
      { time: later, ...alice, operation: 'complete', uri: 't:{x}{?q}', outcome: 'ok', ms: 0 },
    ])
    expect(JSON.stringify(records())).not.toContain('secret')
  })

  it('names the code of what failed, and nothing of its message', async () => {
    const { clock, lines, records, shelf } = audited()
    await failure(shelf.read({ uri: 'x:none', maxBytes: 9 }, ALICE))
    await expect(shelf.read({ uri: 'x:broken', maxBytes: 9 }, ALICE)).rejects.toThrow('secret-message')
    const slow = failure(shelf.read({ uri: 'x:slow', maxBytes: 9 }, ALICE))
    clock.advance(10)
    await slow
    await failure(shelf.read({ uri: 'x:text', maxBytes: 1 }, ALICE))
    await shelf.read({ uri: 'x:odd', maxBytes: 1 }, ALICE)
    expect(records().map((record) => (record as { outcome: string }).outcome)).toEqual([
      'not-found',
      'internal',
      'timeout',
      'too-large',
      'ok',
    ])
    expect(lines.at(-1)).not.toContain('bytes')
    expect(lines.join()).not.toContain('secret')
  })

  it('takes decisions that its chain does not see', () => {
    const { records, policy } = audited()
    const { principal } = ALICE
    policy.decision({ principal, operation: 'list', uri: 'x:1', allowed: false, reason: 'rule 3\nof "team"' })
    policy.decision({ principal, operation: 'subscribe', uri: 'x:2', allowed: true })
    const head = { time: '2026-01-01T00:00:00.000Z', principal: 'alice', kind: 'authenticated' }
    expect(records()).toEqual([
      { ...head, operation: 'list', uri: 'x:1', outcome: 'denied', reason: 'rule 3\nof "team"' },
      { ...head, operation: 'subscribe', uri: 'x:2', outcome: 'allowed' },
    ])
  })

  it('keeps nobody from reading when its sink throws', async () => {
    const { shelf } = audited({
      sink: {
        write: () => {
          throw new Error('full')
        },
      },
    })
    expect(await text(shelf, 'x:text')).toBe('secret-\u00e9')
  })

  it('writes one line of printable ASCII or plain text, whatever a caller sends and is called', async () => {
    const hostile = fc.string({
      unit: fc
        .oneof(fc.nat(0xffff), fc.constantFrom(10, 13, 27, 0x85, 0x2028, 0x2029, 0xd800))
        .map((code) => String.fromCharCode(code)),
    })
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (uri, id) => {
        const { lines, policy, shelf } = audited()
        const principal = { ...ALICE.principal, id }
        await failure(shelf.read({ uri: `x:none/${uri}`, maxBytes: 1 }, localCall({ principal })))
        policy.decision({ principal, operation: 'read', uri, allowed: false, reason: uri })
        expect(lines).toHaveLength(2)
        for (const line of lines) {
          // oxlint-disable-next-line no-control-regex -- naming them is the point
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/)
          expect(line.isWellFormed()).toBe(true)
          expect(JSON.parse(line)).toMatchObject({ principal: id, operation: 'read' })
        }
      }),
    )
  })

  it('does not let a URI write lines of its own', async () => {
    const { lines, records, shelf } = audited()
    for (const uri of ['x:%0a{"fake":1}', 'x:\n{"fake":1}', 'x:\u2028{"fake":1}']) {
      await failure(shelf.read({ uri, maxBytes: 1 }, ALICE))
    }
    expect(lines.join('\n').split(/[\n\r\u2028\u2029]/)).toHaveLength(3)
    expect(records().map((record) => (record as { uri: string }).uri)).toEqual([
      'x:%0a{"fake":1}',
      'x:\n{"fake":1}',
      'x:\u2028{"fake":1}',
    ])
  })

  it('cuts what is longer than 2 KiB, at a whole character', async () => {
    const { lines, policy } = audited()
    const decide = (uri: string, operation: Operation = 'read') =>
      policy.decision({ principal: ALICE.principal, operation, uri, allowed: true })
    decide(`x:${'a'.repeat(2046)}`)
    decide(`x:${'a'.repeat(2047)}`)
    decide(`{${'\u{1f600}'.repeat(600)}`, 'complete')
    decide(`x:${'a'.repeat(10_000_000)}`)
    const cuts = lines.map((line) => JSON.parse(line) as { uri: string; cut?: boolean })
    expect(cuts.map(({ uri, cut }) => [Buffer.byteLength(uri), cut])).toEqual([
      [2048, undefined],
      [2048, true],
      [2045, true],
      [2048, true],
    ])
  })
})

describe('auditedUri()', () => {
  it.each([
    ['HTTP://a/%7eb', 'http://a/~b'],
    ['x:1?a=secret&b=&secret&c=1=2#f', 'x:1?a=*&b=*&*&c=*#f'],
    ['x:1?', 'x:1?*'],
    ['x:1#a?b=c', 'x:1#a?b=*'],
    ['https://user:secret@host/p?q=secret', 'https://*@host/p?q=*'],
    ['https://secret@host', 'https://*@host'],
    ['https://host/a@b', 'https://host/a@b'],
    ['team+https://u:p@q@host/', 'team+https://*@host/'],
    ['no uri?secret=secret', 'no uri?secret=*'],
  ])('gives %s as %s', (uri, wanted) => {
    expect(auditedUri(uri, false)).toEqual({ text: wanted, cut: false })
  })

  it('keeps values of queries where they are wanted', () => {
    expect(auditedUri('https://a:b@c/?d=e', true)).toEqual({ text: 'https://*@c/?d=e', cut: false })
  })
})
