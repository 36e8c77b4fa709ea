import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ShelfError } from '../../src/errors.ts'
import { createLibrary } from '../../src/index.ts'
import { LineReader } from '../../src/transports/stdio/line-reader.ts'
import { canonicalUri, normalUri } from '../../src/uri/index.ts'
import { connect, envelope } from '../spec/engine.ts'
import { settle } from '../spec/recording-sink.ts'

/** In all; more for whoever has the time. */
const CASES = Number(process.env['SHELFMARK_FUZZ_CASES'] ?? 100_000)
const SEED = Number(process.env['SHELFMARK_FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

const METHODS = [
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'resources/subscribe',
  'resources/directory/read',
  'completion/complete',
  'subscriptions/listen',
  'server/discover',
  'initialize',
  'ping',
  'logging/setLevel',
  'notifications/cancelled',
  'dev.shelfmark/stat',
]

const anything = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.jsonValue({ maxDepth: 3 }), fc.constant('__proto__'))

/** Messages that are nearly right: each part of them is what it should be, anything, or not there. */
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0' as unknown) }, { weight: 1, arbitrary: anything }),
    id: fc.oneof(fc.integer() as fc.Arbitrary<unknown>, fc.string(), anything),
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...METHODS) as fc.Arbitrary<unknown> },
      { weight: 1, arbitrary: anything },
    ),
    params: fc.oneof(
      anything,
      fc.record(
        {
          _meta: fc.oneof(fc.constant(envelope()) as fc.Arbitrary<unknown>, anything),
          uri: fc.oneof(fc.constantFrom('a:1', 'a:{x}', 't:7', 't:%') as fc.Arbitrary<unknown>, anything),
          cursor: anything,
          ref: fc.oneof(fc.constant({ type: 'ref/resource', uri: 't:{id}' }) as fc.Arbitrary<unknown>, anything),
          argument: fc.oneof(fc.constant({ name: 'id', value: '' }) as fc.Arbitrary<unknown>, anything),
          notifications: fc.oneof(
            fc.constant({ resourcesListChanged: true, resourceSubscriptions: ['a:1'] }) as fc.Arbitrary<unknown>,
            anything,
          ),
          requestId: fc.oneof(fc.integer() as fc.Arbitrary<unknown>, anything),
          requestState: anything,
          inputResponses: anything,
          level: anything,
          protocolVersion: anything,
          capabilities: anything,
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
)

/** Text of such a message, or with a piece of it cut out or put in. */
const text = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: message as fc.Arbitrary<unknown> },
      { weight: 1, arbitrary: fc.array(message, { maxLength: 3 }) },
    ),
    fc.nat(),
    fc.nat(8),
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.nat(3),
  )
  .map(([value, at, cut, piece, whole]) => {
    const written = JSON.stringify(value)
    if (whole > 0) return written
    const start = at % (written.length + 1)
    return written.slice(0, start) + piece + written.slice(start + cut)
  })

describe(`with any input (seed ${SEED})`, () => {
  it('the decoder answers or is silent, and goes on', { timeout: 240_000 }, async () => {
    const library = createLibrary({ name: 'fuzz' })
      .resource('a:1', () => 'one')
      .template('t:{id}', { complete: { id: ['x'] } }, ({ id }) => id)
    let connection = await connect(library, { extended: true })
    const batch = 1_000
    let answered = 0
    for (let done = 0; done < CASES; done += batch) {
      for (const one of fc.sample(text, { numRuns: batch, seed: SEED + done })) {
        connection.peer.receiveText(one, connection.sink)
      }
      await settle()
      const codes = connection.sink.responses.flatMap(({ error }) => (error === undefined ? [] : [error.code]))
      answered += connection.sink.responses.filter(({ result }) => result !== undefined).length
      // -32603 would be a fault of ours.
      expect(codes.filter((code) => code === -32_603)).toEqual([])
      // What was subscribed to or is waited for belongs to that client: the next one finds a server as new.
      connection.peer.close()
      connection = await connect(library, { extended: true })
      expect(await connection.modern('resources/read', { uri: 'a:1' })).toMatchObject({ result: { contents: [{ text: 'one' }] } })
    }
    // What is nearly right must be right now and then, or nothing behind the first check is tried.
    expect(answered).toBeGreaterThan(CASES / 200)
  })

  it('the normal form of a URI is its own, and a canonical one has it', { timeout: 120_000 }, () => {
    const parts = fc.constantFrom(
      'a',
      'A',
      ':',
      '/',
      '//',
      '..',
      '.',
      '%',
      '%2',
      '%2f',
      '%2F',
      '%41',
      '%7e',
      '%FF',
      '?',
      '#',
      '@',
      '[',
      ']',
      '::1',
      ' ',
      '\u0000',
      'é',
      '\ud800',
      '{',
      '}',
      '+',
      ';',
      '=',
      '&',
      'file',
      'HTTP',
      '\\',
    )
    const uri = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.array(parts, { maxLength: 14 }).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(uri, (given) => {
        const normal = normalUri(given)
        if (normal !== undefined) expect(normalUri(normal)).toBe(normal)
        try {
          expect(normalUri(canonicalUri(given))).toBe(normal)
        } catch (error) {
          if (!ShelfError.is(error, 'invalid-uri')) throw error
        }
      }),
      { numRuns: CASES, seed: SEED },
    )
  })

  it('lines are those of the bytes, however they come', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 12 }), fc.nat(20), (chunks, limit) => {
        const lines: string[] = []
        let dropped = 0
        const reader = new LineReader(
          limit,
          (line) => lines.push(line.toString('latin1')),
          () => dropped++,
        )
        for (const chunk of chunks) reader.push(Buffer.from(chunk))
        reader.end()
        const all = Buffer.concat(chunks).toString('latin1').split('\n')
        expect(lines).toEqual(
          all
            .filter((line) => line.length <= limit)
            .map((line) => line.replace(/\r$/, ''))
            .filter((line) => line !== ''),
        )
        expect(dropped).toBe(all.filter((line) => line.length > limit).length)
      }),
      { numRuns: CASES / 10, seed: SEED },
    )
  })
})
