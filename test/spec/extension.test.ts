import { describe, expect, it } from 'vitest'
import { createLibrary, notFound } from '../../src/index.ts'
import type { Provider } from '../../src/index.ts'
import { memory } from '../../src/providers/memory/index.ts'
import type { EngineOptions } from '../../src/server/index.ts'
import type { Connection } from './engine.ts'
import { connect, envelope } from './engine.ts'

const RANGE = 'dev.shelfmark/range'
const VERSION = 'dev.shelfmark/version'
const UNCHANGED = 'dev.shelfmark/unchanged'
const SERVER = { 'io.modelcontextprotocol/serverInfo': { name: 'acme', version: '0.0.0' } }
const HINT = { ttlMs: 5_000, cacheScope: 'public' } as const
const ON = { extended: true }
type Era = 'modern' | 'legacy'
const ERAS: readonly Era[] = ['modern', 'legacy']

const shelf = () => {
  const held = memory({ name: 'held', prefixes: ['m:'], resources: [{ uri: 'm:1', title: 'One', text: 'one' }] })
  const plain: Provider = {
    name: 'plain',
    prefixes: ['p:'],
    list: async () => ({ items: [] }),
    read: async ({ uri }) => {
      if (uri !== 'p:1') throw notFound(uri)
      return { kind: 'contents', contents: [{ uri, text: 'whole' }], hint: HINT }
    },
  }
  const library = createLibrary({ name: 'acme' })
    .mount(held)
    .mount(plain, { at: 'team' })
    .resource('a:1', { hint: HINT }, () => ({ kind: 'contents', contents: [{ uri: 'a:1', text: 'abcdef' }], version: 'v1' }))
    .resource('a:bare', { hint: HINT }, () => 'abcdef')
  return { library, held }
}

/** A request of either era, with these keys in its `_meta`. */
async function ask(connection: Connection, era: Era, method: string, params: object, meta: Record<string, unknown> = {}) {
  if (era === 'modern') return connection.modern(method, { ...params, _meta: envelope(meta) })
  return connection.legacy(method, { ...params, _meta: meta })
}

async function open(era: Era, options: Partial<EngineOptions> = ON, { library } = shelf()): Promise<Connection> {
  const connection = await connect(library, options)
  if (era === 'legacy') await connection.initialize()
  return connection
}

/** What a result has in its era besides what it is about. */
function result(era: Era, members: object, meta: object | undefined, hint: object = { ttlMs: 0, cacheScope: 'private' }) {
  if (era === 'modern') return { resultType: 'complete', ...members, ...hint, _meta: { ...SERVER, ...meta } }
  return { ...members, ...(meta && { _meta: meta }) }
}

const blob = (text: string): string => Buffer.from(text).toString('base64')

describe('the extension', () => {
  it('is declared where it is on, and not where it is off', async () => {
    const settings = { ranges: true, versions: true, stat: true, maxRead: 5_242_880 }
    const capabilities = async (options: Partial<EngineOptions>) =>
      (await (await connect(shelf().library, options)).modern('server/discover'))?.result?.['capabilities']
    expect(await capabilities(ON)).toMatchObject({ extensions: { 'dev.shelfmark/resources': settings } })
    expect(await capabilities({})).not.toHaveProperty('extensions')
    expect(await capabilities({ extended: true, limits: { maxRead: 9 } })).toMatchObject({
      extensions: { 'dev.shelfmark/resources': { maxRead: 9 } },
    })
    for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const answer = await (await connect(shelf().library, ON)).initialize(revision)
      expect(answer?.result).toMatchObject({
        protocolVersion: revision,
        capabilities: { extensions: { 'dev.shelfmark/resources': settings } },
      })
    }
  })

  it.each(ERAS)('takes and tells nothing where it is off: %s', async (era) => {
    const connection = await open(era, {})
    const whole = result(era, { contents: [{ uri: 'a:1', text: 'abcdef' }] }, undefined, HINT)
    expect((await ask(connection, era, 'resources/read', { uri: 'a:1' }))?.result).toEqual(whole)
    for (const meta of [{ [RANGE]: { offset: 1, length: 2 } }, { [VERSION]: 'v1' }, { [RANGE]: 'none', [VERSION]: 7 }]) {
      expect((await ask(connection, era, 'resources/read', { uri: 'a:1' }, meta))?.result).toEqual(whole)
    }
    expect((await ask(connection, era, 'dev.shelfmark/stat', { uri: 'a:1' }))?.error).toMatchObject({ code: -32601 })
  })
})

describe.each(ERAS)('a read with the extension, %s', (era) => {
  it('tells the version where there is one, and keeps its hint', async () => {
    const connection = await open(era)
    expect((await ask(connection, era, 'resources/read', { uri: 'a:1' }))?.result).toEqual(
      result(era, { contents: [{ uri: 'a:1', text: 'abcdef' }] }, { [VERSION]: 'v1' }, HINT),
    )
    expect((await ask(connection, era, 'resources/read', { uri: 'a:bare' }))?.result).toEqual(
      result(era, { contents: [{ uri: 'a:bare', mimeType: 'text/plain', text: 'abcdef' }] }, undefined, HINT),
    )
  })

  it.each([
    [{ offset: 1, length: 2 }, 'bc', { offset: 1, length: 2, total: 6 }],
    [{ offset: 4 }, 'ef', { offset: 4, length: 2, total: 6 }],
    [{ offset: 4, length: 9_007_199_254_740_991 }, 'ef', { offset: 4, length: 2, total: 6 }],
    [{ offset: 0, length: 0 }, '', { offset: 0, length: 0, total: 6 }],
    [{ offset: 7 }, '', { offset: 6, length: 0, total: 6 }],
  ])('gives the range %j as bytes, says which it is, and is for no cache', async (range, text, given) => {
    const connection = await open(era)
    expect((await ask(connection, era, 'resources/read', { uri: 'a:1' }, { [RANGE]: range }))?.result).toEqual(
      result(era, { contents: [{ uri: 'a:1', blob: blob(text) }] }, { [RANGE]: given, [VERSION]: 'v1' }),
    )
  })

  it('gives the whole without an echo where a source has no ranges', async () => {
    const connection = await open(era)
    const meta = { [RANGE]: { offset: 1, length: 1 } }
    expect((await ask(connection, era, 'resources/read', { uri: 'team+p:1' }, meta))?.result).toEqual(
      result(era, { contents: [{ uri: 'team+p:1', text: 'whole' }] }, undefined),
    )
  })

  it('gives a part as bytes also where its source gave text', async () => {
    const library = createLibrary({ name: 'acme' }).resource('a:1', () => ({
      kind: 'contents',
      contents: [{ uri: 'a:1', mimeType: 'text/plain', text: 'é' }],
      range: { offset: 1, length: 2, total: 9 },
    }))
    const connection = await open(era, ON, { ...shelf(), library })
    const meta = { [RANGE]: { offset: 1, length: 2 } }
    expect((await ask(connection, era, 'resources/read', { uri: 'a:1' }, meta))?.result).toEqual(
      result(
        era,
        { contents: [{ uri: 'a:1', mimeType: 'text/plain', blob: blob('é') }] },
        { [RANGE]: { offset: 1, length: 2, total: 9 } },
      ),
    )
  })

  it('counts the part against maxRead, and the whole where that is given', async () => {
    const connection = await open(era, { extended: true, limits: { maxRead: 2 } })
    const read = (uri: string, offset: number, length?: number) =>
      ask(connection, era, 'resources/read', { uri }, { [RANGE]: { offset, ...(length !== undefined && { length }) } })
    expect((await read('a:1', 3, 2))?.result).toMatchObject({ contents: [{ blob: blob('de') }] })
    expect((await read('a:1', 3))?.error).toEqual({
      code: 10413,
      message: 'The range has 3 bytes and the limit is 2; ask for a shorter one',
      data: { size: 3, limit: 2 },
    })
    expect((await read('team+p:1', 0, 1))?.error).toMatchObject({ code: 10413, data: { size: 5, limit: 2 } })
  })

  it('says unchanged to the version it gave, and gives all of another', async () => {
    const { library, held } = shelf()
    const connection = await open(era, ON, { library, held })
    const read = (meta?: Record<string, unknown>) => ask(connection, era, 'resources/read', { uri: 'm:1' }, meta)
    const first = (await read())?.result?.['_meta'] as { [VERSION]: string }
    const version = first[VERSION]
    expect(version).toMatch(/./)
    expect((await read({ [VERSION]: version }))?.result).toEqual(
      result(era, { contents: [] }, { [VERSION]: version, [UNCHANGED]: true }),
    )
    held.update('m:1', { text: 'two' })
    const changed = (await read({ [VERSION]: version }))?.result
    const { [VERSION]: next } = changed?.['_meta'] as { [VERSION]: string }
    expect(next).not.toBe(version)
    expect(changed).toEqual(result(era, { contents: [{ uri: 'm:1', mimeType: 'text/plain', text: 'two' }] }, { [VERSION]: next }))
    expect((await read({ [VERSION]: version, [RANGE]: { offset: 1 } }))?.result).toEqual(
      result(
        era,
        { contents: [{ uri: 'm:1', mimeType: 'text/plain', blob: blob('wo') }] },
        { [VERSION]: next, [RANGE]: { offset: 1, length: 2, total: 3 } },
      ),
    )
  })

  it('says unchanged also for a handler that gives its version with all of it, and lets go of that', async () => {
    let disposed = 0
    const library = createLibrary({ name: 'acme' }).resource('a:1', () => ({
      kind: 'contents',
      contents: [{ uri: 'a:1', text: 'abc' }],
      version: 'v1',
      [Symbol.asyncDispose]: async () => void disposed++,
    }))
    const connection = await open(era, ON, { ...shelf(), library })
    expect((await ask(connection, era, 'resources/read', { uri: 'a:1' }, { [VERSION]: 'v1' }))?.result).toEqual(
      result(era, { contents: [] }, { [VERSION]: 'v1', [UNCHANGED]: true }),
    )
    expect(disposed).toBe(1)
  })

  it('gives the whole to a version where a source has none, and is for no cache', async () => {
    const connection = await open(era)
    expect((await ask(connection, era, 'resources/read', { uri: 'a:bare' }, { [VERSION]: 'v1' }))?.result).toEqual(
      result(era, { contents: [{ uri: 'a:bare', mimeType: 'text/plain', text: 'abcdef' }] }, undefined),
    )
  })

  it('takes a version of 1,024 characters, and tells none that it would not take', async () => {
    const long = 'v'.repeat(1_024)
    const library = createLibrary({ name: 'acme' }).template('a:{n}', ({ n }) => ({
      kind: 'contents',
      contents: [{ uri: `a:${n}`, text: '' }],
      version: 'v'.repeat(Number(n)),
    }))
    const connection = await open(era, ON, { ...shelf(), library })
    const read = async (uri: string, meta?: Record<string, unknown>) =>
      (await ask(connection, era, 'resources/read', { uri }, meta))?.result?.['_meta']
    expect(await read('a:1024')).toMatchObject({ [VERSION]: long })
    expect(await read('a:1024', { [VERSION]: long })).toMatchObject({ [UNCHANGED]: true })
    expect(await read('a:1025')).toEqual(era === 'modern' ? SERVER : undefined)
  })

  it.each<[string, string]>([
    ['[]', 'must be { offset, length? } in bytes, got an array'],
    ['"0-5"', 'must be { offset, length? } in bytes, got "0-5"'],
    ['null', 'must be { offset, length? } in bytes, got null'],
    ['5', 'must be { offset, length? } in bytes, got 5'],
    ['{}', '.offset must be an integer from 0 to 9007199254740991, got nothing'],
    ['{"length":1}', '.offset must be an integer from 0 to 9007199254740991, got nothing'],
    ['{"offset":-1}', '.offset must be an integer from 0 to 9007199254740991, got -1'],
    ['{"offset":1.5}', '.offset must be an integer from 0 to 9007199254740991, got 1.5'],
    ['{"offset":9007199254740992}', '.offset must be an integer from 0 to 9007199254740991, got 9007199254740992'],
    ['{"offset":1e999}', '.offset must be an integer from 0 to 9007199254740991, got Infinity'],
    ['{"offset":"1"}', '.offset must be an integer from 0 to 9007199254740991, got "1"'],
    ['{"offset":[1]}', '.offset must be an integer from 0 to 9007199254740991, got an array'],
    ['{"offset":0,"length":null}', '.length must be an integer from 0 to 9007199254740991, got null'],
    ['{"offset":0,"length":-1}', '.length must be an integer from 0 to 9007199254740991, got -1'],
    ['{"offset":0,"length":{}}', '.length must be an integer from 0 to 9007199254740991, got an object'],
    ['{"offset":0,"end":5}', 'must be { offset, length? } in bytes, got a member "end"'],
    ['{"__proto__":{"offset":0}}', 'must be { offset, length? } in bytes, got a member "__proto__"'],
    ['{"offset":0,"constructor":1}', 'must be { offset, length? } in bytes, got a member "constructor"'],
    [
      `{"offset":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
      '.offset must be an integer from 0 to 9007199254740991, got an array',
    ],
  ])('refuses the range %.60s', async (text, wanted) => {
    const connection = await open(era)
    const answer = await ask(connection, era, 'resources/read', { uri: 'a:1' }, { [RANGE]: JSON.parse(text) })
    expect(answer?.error).toEqual({
      code: -32602,
      message: `params._meta["${RANGE}"]${wanted.startsWith('.') ? '' : ' '}${wanted}`,
    })
  })

  it.each<[unknown, string]>([
    [7, '7'],
    [null, 'null'],
    [true, 'true'],
    [['v1'], 'an array'],
    [{}, 'an object'],
    ['v'.repeat(1_025), '1025 characters'],
  ])('refuses the version %.20s', async (version, came) => {
    const connection = await open(era)
    const answer = await ask(connection, era, 'resources/read', { uri: 'a:1' }, { [VERSION]: version })
    const message = `params._meta["${VERSION}"] must be a string of at most 1024 characters, got ${came}`
    expect(answer?.error).toEqual({ code: -32602, message })
  })

  it('is not found with a range as without one', async () => {
    const connection = await open(era, { extended: true, access: (_principal, _operation, uri) => uri !== 'a:1' })
    for (const uri of ['a:1', 'm:none', 'team+p:2', 'no uri']) {
      const answer = await ask(connection, era, 'resources/read', { uri }, { [RANGE]: { offset: 0 }, [VERSION]: 'v1' })
      expect(answer?.error).toEqual({ code: era === 'modern' ? -32602 : -32002, message: 'Resource not found', data: { uri } })
    }
  })

  it.each([
    { offset: 1, length: 3, total: 9 },
    { offset: 1, length: 1, total: 9 },
    { offset: 8, length: 2, total: 9 },
    { offset: -1, length: 2, total: 9 },
    { offset: Number.NaN, length: 2, total: 9 },
    { offset: 1, length: 2, total: Number.POSITIVE_INFINITY },
  ])('does not pass on two bytes as the range %j', async (range) => {
    const library = createLibrary({ name: 'acme' }).resource('a:1', () => ({
      kind: 'contents',
      contents: [{ uri: 'a:1', bytes: Uint8Array.of(1, 2) }],
      range,
    }))
    const connection = await open(era, ON, { ...shelf(), library })
    const meta = { [RANGE]: { offset: 1, length: 2 } }
    expect((await ask(connection, era, 'resources/read', { uri: 'a:1' }, meta))?.error).toMatchObject({ code: -32603 })
  })

  it('keeps an unchanged that nobody asked for on this side', async () => {
    const library = createLibrary({ name: 'acme' }).resource('a:1', () => ({ kind: 'unchanged', version: 'v1' }))
    const reported: string[] = []
    const onError = (error: unknown) => void reported.push(String(error))
    const connection = await open(era, { extended: true, onError }, { ...shelf(), library })
    expect((await ask(connection, era, 'resources/read', { uri: 'a:1' }, { [RANGE]: { offset: 0 } }))?.error).toMatchObject({
      code: -32603,
    })
    expect(reported).toEqual(['ShelfError: a:1 was answered as unchanged to a read without a version'])
  })
})

describe.each(ERAS)('dev.shelfmark/stat, %s', (era) => {
  it('tells what is listed, and the version, without the body', async () => {
    let reads = 0
    const { library, held } = shelf()
    library.resource('a:read', { size: 7, hint: HINT }, () => String(reads++))
    const connection = await open(era, ON, { library, held })
    const stat = async (uri: string) => (await ask(connection, era, 'dev.shelfmark/stat', { uri }))?.result
    const version = (await held.stat({ uri: 'm:1' }, { allows: () => true } as never)).version
    expect(await stat('m:1')).toEqual(
      result(era, { resource: { uri: 'm:1', name: '1', title: 'One', mimeType: 'text/plain', size: 3 }, version }, undefined),
    )
    expect(await stat('a:read')).toEqual(result(era, { resource: { uri: 'a:read', name: 'read', size: 7 } }, undefined))
    expect(reads).toBe(0)
    expect(await stat('team+p:1')).toMatchObject({ resource: { uri: 'team+p:1', name: '1' } })
  })

  it('has the hint of its source', async () => {
    const source: Provider = {
      name: 'p',
      prefixes: ['p:'],
      list: async () => ({ items: [] }),
      read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: '' }] }),
      stat: async ({ uri }) => ({ resource: { uri, name: 'p' }, version: 'v'.repeat(1_025), hint: HINT }),
    }
    const connection = await open(era, ON, { ...shelf(), library: createLibrary({ name: 'acme' }).mount(source) })
    expect((await ask(connection, era, 'dev.shelfmark/stat', { uri: 'p:1' }))?.result).toEqual(
      result(era, { resource: { uri: 'p:1', name: 'p' } }, undefined, HINT),
    )
  })

  it('answers for what is absent, denied or no URI alike', async () => {
    const connection = await open(era, {
      extended: true,
      access: (_principal, operation, uri) => operation !== 'stat' || uri !== 'a:1',
    })
    for (const uri of ['a:1', 'm:none', 'none:1', 'no uri', `a:${'x'.repeat(9_000)}`]) {
      expect((await ask(connection, era, 'dev.shelfmark/stat', { uri }))?.error).toEqual({
        code: era === 'modern' ? -32602 : -32002,
        message: 'Resource not found',
        data: { uri },
      })
    }
    expect((await ask(connection, era, 'dev.shelfmark/stat', {}))?.error).toEqual({
      code: -32602,
      message: 'params.uri must be a string',
    })
  })
})

it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'dev.shelfmark/stat leaves out what is newer than %s',
  async (revision) => {
    const face = { title: 'One', icons: [{ src: 'https://x/i.png' }], _meta: { k: 1 } }
    const connection = await connect(
      createLibrary({ name: 'acme' }).resource('a:1', face, () => ''),
      ON,
    )
    await connection.initialize(revision)
    expect((await connection.legacy('dev.shelfmark/stat', { uri: 'a:1' }))?.result).toEqual({
      resource: {
        uri: 'a:1',
        name: '1',
        ...(revision >= '2025-06-18' && { title: 'One', _meta: { k: 1 } }),
        ...(revision >= '2025-11-25' && { icons: [{ src: 'https://x/i.png' }] }),
      },
    })
  },
)

describe('an input-required read with the extension', () => {
  const library = () =>
    createLibrary({ name: 'acme' }).resource('plan:1', ({ answers, range }) =>
      answers?.state === undefined
        ? { kind: 'input-required', state: [range?.offset ?? -1, range?.length ?? -1] }
        : `${JSON.stringify(answers.state)}, reads ${JSON.stringify(range)}`,
    )
  const read = async (connection: Connection, meta: Record<string, unknown>, requestState?: unknown) =>
    connection.modern('resources/read', {
      uri: 'plan:1',
      ...(requestState !== undefined && { requestState }),
      _meta: envelope(meta),
    })

  it('takes its state back with the range and version that it was asked with, and no others', async () => {
    const connection = await connect(library(), ON)
    const asked = { [RANGE]: { offset: 0, length: 60 }, [VERSION]: 'v1' }
    const state = (await read(connection, asked))?.result?.['requestState']
    expect(state).toBeTypeOf('string')
    const again = { progressToken: 1, [VERSION]: 'v1', [RANGE]: { length: 60, offset: 0 } }
    expect((await read(connection, again, state))?.result).toMatchObject({
      contents: [{ blob: blob('[0,60], reads {"offset":0,"length":60}') }],
    })
    for (const other of [
      {},
      { [VERSION]: 'v1' },
      { [RANGE]: { offset: 0, length: 60 } },
      { [RANGE]: { offset: 0, length: 61 }, [VERSION]: 'v1' },
      { [RANGE]: { offset: 0, length: 60 }, [VERSION]: 'v2' },
    ]) {
      expect((await read(connection, other, state))?.error).toMatchObject({ code: -32602 })
    }
  })

  it('does not look at them where it is off', async () => {
    const connection = await connect(library())
    const state = (await read(connection, { [RANGE]: 'x' }))?.result?.['requestState']
    expect((await read(connection, {}, state))?.result).toMatchObject({
      contents: [{ text: '[-1,-1], reads undefined' }],
    })
  })
})
