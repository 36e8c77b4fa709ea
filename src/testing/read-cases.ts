import { ShelfError } from '../errors.ts'
import { localCall } from '../library/index.ts'
import type { Contents } from '../library/index.ts'
import { check, checkEqual, checkRejects } from './check.ts'
import { listAll } from './list-cases.ts'
import type { FixtureCase } from './provider-fixture.ts'
import { readBytes } from './read-bytes.ts'

const MAX = 16 * 1024 * 1024

export const readCases: readonly FixtureCase[] = [
  {
    name: 'read() reads all that is listed, byte for byte',
    async run({ provider }) {
      for (const { uri, size } of await listAll(provider)) {
        const first = await readBytes(provider, uri, localCall(), MAX)
        const second = await readBytes(provider, uri, localCall(), MAX)
        const { contents } = first.reading
        const [only] = contents
        check(only !== undefined, `contents for ${uri}`, contents)
        checkEqual(only.uri, uri, 'the URI of the contents')
        checkEqual(first.bodies.map(hex), second.bodies.map(hex), `two reads of ${uri}`)
        if (size !== undefined && contents.length === 1 && isPlain(only))
          checkEqual(first.bodies[0]?.length, size, `the bytes of ${uri}`)
      }
    },
  },
  {
    name: 'read() says unchanged for a version it gave',
    async run({ provider }) {
      for (const { uri } of (await listAll(provider)).slice(0, 20)) {
        const { version } = (await readBytes(provider, uri, localCall(), MAX)).reading
        if (version === undefined) continue
        const again = await provider.read({ uri, maxBytes: MAX, ifVersion: version }, localCall())
        // A provider that cannot be sure answers in full, under another version.
        if (again.kind === 'contents') {
          check(again.version !== version, `unchanged, or a version other than ${version}`, again.version)
          await again[Symbol.asyncDispose]?.()
        } else checkEqual(again, { kind: 'unchanged', version }, `a read of ${uri} with its own version`)
        const other = await provider.read({ uri, maxBytes: MAX, ifVersion: 'not-a-version' }, localCall())
        checkEqual(other.kind, 'contents', 'a read with a version of nothing')
        if (other.kind === 'contents') await other[Symbol.asyncDispose]?.()
      }
    },
  },
  {
    name: 'read() keeps to maxBytes and names size and limit',
    async run({ provider }) {
      let tried = 0
      for (const { uri } of await listAll(provider)) {
        const { bodies, reading } = await readBytes(provider, uri, localCall(), MAX)
        const [body] = bodies
        const [contents] = reading.contents
        if (bodies.length !== 1 || body === undefined || body.length < 2 || contents === undefined || !isPlain(contents)) continue
        await readBytes(provider, uri, localCall(), body.length)
        const limit = body.length - 1
        const error = await provider.read({ uri, maxBytes: limit }, localCall()).then(
          () => undefined,
          (caught: unknown) => caught,
        )
        check(ShelfError.is(error, 'too-large'), `too-large for ${body.length} bytes under a limit of ${limit}`, String(error))
        checkEqual(error.details.limit, limit, 'the limit in the error')
        check(error.details.size > limit, `a size over ${limit} in the error`, error.details.size)
        if (++tried === 20) break
      }
      check(tried > 0, 'a fixture with one resource of 2 bytes or more')
    },
  },
  {
    name: 'read() of part of a body gives that part, or all of it',
    async run({ provider }) {
      for (const { uri } of (await listAll(provider)).slice(0, 20)) {
        const whole = await readBytes(provider, uri, localCall(), MAX)
        const [body] = whole.bodies
        const [contents] = whole.reading.contents
        if (whole.bodies.length !== 1 || body === undefined || contents === undefined || !isPlain(contents)) continue
        check(whole.reading.range === undefined, `no part of ${uri} where none was asked for`, whole.reading.range)
        const part = await readBytes(provider, uri, localCall(), MAX, { offset: 1, length: 3 })
        if (part.reading.range === undefined) {
          checkEqual(part.bodies.map(hex), whole.bodies.map(hex), `all of ${uri} where no part is named`)
          continue
        }
        const expected = body.subarray(1, 4)
        checkEqual(
          part.reading.range,
          { offset: Math.min(1, body.length), length: expected.length, total: body.length },
          'the range given',
        )
        checkEqual(part.bodies.map(hex), [hex(expected)], `part of ${uri}`)
      }
    },
  },
  {
    name: 'read() of anything else is not-found, with the URI as sent',
    async run({ provider, missing }) {
      const listed = (await listAll(provider)).map((item) => item.uri)
      const [first = ''] = listed
      const odd = [
        missing ?? `${first}-nothing-here`,
        'nobody-has-this-scheme://x/y',
        `${first}/../../../etc/passwd`,
        `${first}/..%2F..%2F..%2Fetc%2Fpasswd`,
        `${first}%2F..%2F..%2Fetc%2Fpasswd`,
        `${first}/%2e%2e/%2e%2e/etc/passwd`,
        ...['%', '%zz', '%00', '%ff', '%c0%ae', '\n', '\u0000', '\ud800', '#odd-fragment', '?odd=query'].map(
          (tail) => first + tail,
        ),
        '',
        'no scheme at all',
      ]
      for (const uri of odd) {
        const work = provider.read({ uri, maxBytes: MAX }, localCall())
        const error = await work.then(
          () => undefined,
          (caught: unknown) => caught,
        )
        check(ShelfError.is(error, 'not-found'), `not-found for ${JSON.stringify(uri)}`, String(error))
        checkEqual(error.message, 'Resource not found', 'the message')
        checkEqual(error.details, { uri }, 'the details')
      }
    },
  },
  {
    name: 'read() settles for a caller that gave up, and the next one is served',
    async run({ provider }) {
      const [item] = await listAll(provider)
      const controller = new AbortController()
      controller.abort()
      const { uri } = item ?? { uri: '' }
      try {
        const result = await provider.read({ uri, maxBytes: MAX }, localCall({ signal: controller.signal }))
        if (result.kind === 'contents') await result[Symbol.asyncDispose]?.()
      } catch (error) {
        await checkRejects(Promise.reject(error), ['cancelled'], 'a read for an aborted signal')
      }
      await readBytes(provider, uri, localCall(), MAX)
    },
  },
]

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

/** False for text that was written in another encoding than UTF-8, so that its bytes here are not those of the source. */
function isPlain(contents: Contents): boolean {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(contents.mimeType ?? '')?.[1]
  return !('text' in contents) || charset === undefined || /^(?:utf-8|us-ascii)$/i.test(charset)
}
