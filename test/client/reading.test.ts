import { settleable } from '../../src/library/index.ts'
import { describe, expect, it } from 'vitest'
import type { ClientQuestion } from '../../src/client/index.ts'
import { all, failure, opened, turns } from './opened-client.ts'
import type { Answer, Asked } from './scripted-server.ts'
import { legacyServer, modernServer } from './scripted-server.ts'

const EXTENDED = (own: object) => ({ capabilities: { resources: {}, extensions: { 'dev.shelfmark/resources': own } } })
const text = (value: string, uri = 'x:1'): Answer => ({ contents: [{ uri, text: value }] })

const ODD_URIS = [
  'foo:///bar/b.txt',
  'foo://HOST.example/a',
  'foo://host/dir/',
  'foo://host/a/../b',
  'foo://host//a',
  'foo://host/a;v=1',
  'foo://host:8080/a',
  'foo://user@host/a',
  'foo://host/a#part',
  'foo://host/%7Euser%2f',
  'urn:x:y',
  'mailto:a@b.example',
  'https://unreachable.invalid/x',
  'file:///not/here.md',
  'users/me',
  'scan 01.pdf',
  'my_app://x',
  'notes:///日本/語',
  '__proto__',
  '\ud800',
]

describe.each([
  ['modern', modernServer],
  ['legacy', legacyServer],
] as const)('a client of a %s server', (_era, make) => {
  it('sends every URI byte for byte as it was listed', async () => {
    const server = make(({ method, params }) =>
      method === 'resources/list' ? { resources: ODD_URIS.map((uri) => ({ uri, name: 'n' })) } : text('t', String(params['uri'])),
    )
    const { client } = opened(server)
    for await (const { uri } of client.list()) expect(await client.readText(uri)).toBe('t')
    const reads = server.asked.filter(({ method }) => method === 'resources/read')
    expect(reads.map(({ params }) => params['uri'])).toEqual(ODD_URIS)
  })

  it('lists all pages of resources and templates, and asks for the first without a cursor', async () => {
    const pages = (member: string, key: string, count: number) => (params: Record<string, unknown>) => {
      const at = Number(params['cursor'] ?? 0)
      return { [member]: [{ [key]: `x:${at}`, name: 'n' }], ...(at + 1 < count && { nextCursor: `${at + 1}` }) }
    }
    const server = make(({ method, params }) =>
      (method === 'resources/list' ? pages('resources', 'uri', 3) : pages('resourceTemplates', 'uriTemplate', 2))(params),
    )
    const { client, notices } = opened(server)
    expect((await all(client.list())).map(({ uri }) => uri)).toEqual(['x:0', 'x:1', 'x:2'])
    expect((await all(client.templates())).map(({ uriTemplate }) => uriTemplate)).toEqual(['x:0', 'x:1'])
    const firsts = server.asked.filter(({ method }) => method.endsWith('/list'))
    expect(['cursor' in firsts[0]!.params, 'cursor' in firsts[3]!.params, notices]).toEqual([false, false, []])
  })

  it('takes nothing for the answer of a server that lacks the methods', async () => {
    const { client } = opened(make(() => ({ error: { code: -32_601, message: 'no' } })))
    expect([await all(client.list()), await all(client.templates())]).toEqual([[], []])
    expect(await client.complete('x:{v}', 'v', '')).toEqual({ values: [] })
    expect(await failure(client.read('x:1'))).toBe('method-not-found: The server has no method resources/read')
    expect(await failure(all(client.children('x:1')))).toBe('not-found: Resource not found')
  })

  it.each([-32_002, -32_602])('takes %i for "not found"', async (code) => {
    const { client } = opened(make(() => ({ error: { code, message: 'whatever', data: { uri: 'other' } } })))
    expect(await failure(client.read('x:1'))).toBe('not-found: Resource not found')
  })

  it.each([
    [{}, 'invalid-answer: Nothing of the answer can be used: The answer has no list of contents'],
    [{ contents: {} }, 'invalid-answer: Nothing of the answer can be used: The answer has no list of contents'],
    [{ contents: [7] }, 'invalid-answer: Nothing of the answer can be used: Content 0 is no object; set aside'],
    [{ resultType: 'task' }, 'invalid-answer: The server answered resources/read with a result of type "task"'],
    [{ resultType: { a: 1 } }, 'invalid-answer: The server answered resources/read with a result of type object'],
  ])('refuses the answer %j to a read', async (answer, wanted) => {
    const { client } = opened(make(() => answer as Answer))
    expect(await failure(client.read('x:1'))).toContain(wanted)
  })

  it('gives no contents for no contents, and says so', async () => {
    const { client } = opened(make(() => ({ contents: [] })))
    const { contents, notices } = await client.read('x:1')
    expect([contents, notices.map(({ message }) => message)]).toEqual([[], ['The server answered with no contents at all']])
    expect(await failure(client.readText('x:1'))).toBe('unsupported: x:1 has no contents; use read()')
  })

  it('gives all contents, and one text or body where there is one', async () => {
    const bodies: Record<string, unknown[]> = {
      'x:text': [{ uri: 'x:text', text: 'é' }],
      'x:bytes': [{ uri: 'x:bytes', blob: '/w==' }],
      'x:utf8': [{ uri: 'x:utf8', blob: 'w6k=' }],
      'x:two': [
        { uri: 'x:two', text: '1' },
        { uri: 'x:two', text: '2' },
      ],
    }
    const { client } = opened(make(({ params }) => ({ contents: bodies[String(params['uri'])] })))
    expect([await client.readText('x:text'), await client.readText('x:utf8')]).toEqual(['é', 'é'])
    expect([...(await client.readBytes('x:text')), ...(await client.readBytes('x:bytes'))]).toEqual([195, 169, 255])
    expect(await failure(client.readText('x:bytes'))).toBe('unsupported: x:bytes is 1 bytes that are no text')
    expect(await failure(client.readText('x:two'))).toBe('unsupported: x:two has 2 contents; use read()')
    expect((await client.read('x:two')).contents).toHaveLength(2)
  })

  it('cuts a range out of a whole that a server without ranges gave', async () => {
    const { client } = opened(make(() => text('0123456789é')))
    const part = await client.read('x:1', { range: { offset: 8, length: 3 } })
    expect([part.contents[0]?.bytes, part.range]).toEqual([new Uint8Array([56, 57, 195]), { offset: 8, length: 3, total: 12 }])
    const beyond = await client.read('x:1', { range: { offset: 100 } })
    expect([beyond.contents[0]?.bytes?.length, beyond.range]).toEqual([0, { offset: 12, length: 0, total: 12 }])
  })

  it.each([[{ offset: -1 }], [{ offset: 0.5 }], [{ offset: Number.NaN }], [{ offset: 0, length: -1 }], [{ offset: 2 ** 60 }]])(
    'refuses the range %j before anything is sent',
    async (range) => {
      const server = make(() => text('t'))
      const { client } = opened(server)
      expect(await failure(client.read('x:1', { range }))).toContain('invalid-params')
      expect(await failure(client.readOnce('x:1', { range }))).toContain('invalid-params')
      expect(server.connections).toBe(0)
    },
  )

  it('says what a listed resource is by the list, and of another by reading it', async () => {
    const server = make(({ method, params }) =>
      method === 'resources/list'
        ? { resources: [{ uri: 'x:%7e', name: 'tilde', size: 7 }] }
        : params['uri'] === 'x:gone'
          ? { error: { code: -32_002, message: '' } }
          : text('four', 'x://a/b'),
    )
    const { client } = opened(server)
    expect(await client.stat('X:~')).toMatchObject({ by: 'list', resource: { uri: 'x:%7e', name: 'tilde', size: 7 } })
    expect(await client.stat('x://a/b')).toMatchObject({ by: 'read', resource: { uri: 'x://a/b', name: 'b', size: 4 } })
    expect(await failure(client.stat('x:gone'))).toBe('not-found: Resource not found')
  })

  it('sees directories by the paths of the list', async () => {
    const uris = ['x://d/a', 'x://d/b/c', 'x://d/b/d', 'x://d', 'x://other/x', 'x://d/']
    const { client } = opened(make(() => ({ resources: uris.map((uri) => ({ uri, name: 'n' })) })))
    const seen = await all(client.children('x://d'))
    expect(seen).toEqual([
      { uri: 'x://d/a', name: 'n' },
      { uri: 'x://d/b', name: 'b', mimeType: 'inode/directory' },
    ])
    expect(await failure(all(client.children('x://nothing')))).toBe('not-found: Resource not found')
  })

  it('completes with the values that were chosen before', async () => {
    const server = make(() => ({ completion: { values: ['a', 7, 'b'], total: 5, hasMore: true } }))
    const { client } = opened(server)
    const completed = await client.complete('x:{a}/{b}', 'b', 'p', { arguments: { a: '1' } })
    expect(completed).toEqual({ values: ['a', 'b'], total: 5, hasMore: true })
    expect(server.asked.at(-1)?.params).toMatchObject({
      ref: { type: 'ref/resource', uri: 'x:{a}/{b}' },
      argument: { name: 'b', value: 'p' },
      context: { arguments: { a: '1' } },
    })
  })

  it('gives up on a request when its caller does, tells the server, and asks again', async () => {
    const server = make(() => undefined)
    const { client } = opened(server)
    const giving = new AbortController()
    const { signal } = giving
    const works = [
      client.read('x:1', { signal }),
      client.readOnce('x:1', { signal }),
      client.listPage({ signal }),
      client.stat('x:1', { signal }),
      client.complete('x:{v}', 'v', '', { signal }),
      all(client.children('x:1', { signal })),
    ].map(failure)
    await turns()
    giving.abort()
    expect(new Set(await Promise.all(works))).toEqual(new Set(['cancelled: Cancelled by the caller']))
    await turns()
    const open = server.asked.filter(({ method }) => /read|list|complete/.test(method))
    const cancelled = server.told.filter(({ method }) => method === 'notifications/cancelled')
    expect(new Set(cancelled.map(({ params }) => params['requestId']))).toEqual(new Set(open.map(({ id }) => id)))
  })
})

describe('a client of a server with the extension', () => {
  const ranged = (echo: object, blob: string) =>
    modernServer(() => ({ contents: [{ uri: 'x:1', blob }], _meta: { 'dev.shelfmark/range': echo } }), EXTENDED({ ranges: true }))

  it('asks for a range, and believes an echo of it', async () => {
    const server = ranged({ offset: 2, length: 3, total: 10 }, 'AAAA')
    const { client } = opened(server)
    expect(await client.read('x:1', { range: { offset: 2, length: 5 } })).toMatchObject({
      range: { offset: 2, length: 3, total: 10 },
    })
    expect(server.asked[1]?.params['_meta']).toMatchObject({ 'dev.shelfmark/range': { offset: 2, length: 5 } })
  })

  it.each([
    ['bytes from elsewhere', { offset: 0, length: 3, total: 10 }],
    ['more bytes than were asked for', { offset: 2, length: 6, total: 10 }, 'AAAAAAAA'],
    ['fewer bytes than it says', { offset: 2, length: 4, total: 10 }],
    ['numbers that are none', { offset: '2', length: 3, total: 10 }],
    ['no total', { offset: 2, length: 3 }],
  ])('does not believe %s', async (_what, echo, blob = 'AAAA') => {
    const { client } = opened(ranged(echo, blob))
    expect(await failure(client.read('x:1', { range: { offset: 2, length: 5 } }))).toContain('invalid-answer')
  })

  it('cuts the part out of what is not echoed', async () => {
    const server = modernServer(() => text('0123456789'), EXTENDED({ ranges: true }))
    const { client } = opened(server)
    const part = await client.read('x:1', { range: { offset: 2, length: 2 } })
    expect([part.contents[0]?.bytes, part.range]).toEqual([new Uint8Array([50, 51]), { offset: 2, length: 2, total: 10 }])
  })

  it('asks for what a resource is, and reads it where that is declared and not answered', async () => {
    const answered = opened(
      modernServer(() => ({ resource: { uri: 'x:1', name: 'one' }, version: 'v' }), EXTENDED({ stat: true })),
    )
    expect(await answered.client.stat('x:1')).toMatchObject({ by: 'stat', version: 'v', resource: { name: 'one' } })
    const declared = opened(
      modernServer(
        ({ method }) =>
          method === 'dev.shelfmark/stat'
            ? { error: { code: -32_601, message: '' } }
            : method === 'resources/list'
              ? {}
              : text('t'),
        EXTENDED({ stat: true }),
      ),
    )
    expect(await declared.client.stat('x:1')).toMatchObject({ by: 'read', resource: { uri: 'x:1' } })
    const lying = opened(modernServer(() => ({ resource: { uri: 7 } }), EXTENDED({ stat: true })))
    expect(await failure(lying.client.stat('x:1'))).toContain('invalid-answer')
  })

  it('reads directories where they are declared, and begins again when a cursor is refused', async () => {
    let refusals = 0
    const server = modernServer(
      ({ method, params }) => {
        if (method !== 'resources/directory/read') return { resources: [] }
        if (params['uri'] !== 'x://d') return { error: { code: -32_602, message: '' } }
        if (params['cursor'] === undefined) return { resources: [{ uri: 'x://d/1', name: '1' }], nextCursor: 'c' }
        if (refusals++ === 0) return { error: { code: -32_602, message: '' } }
        return { resources: [{ uri: 'x://d/2', name: '2' }] }
      },
      { capabilities: { resources: {}, extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } } } },
    )
    const { client } = opened(server)
    expect((await all(client.children('x://d'))).map(({ uri }) => uri)).toEqual(['x://d/1', 'x://d/2'])
    expect(await failure(all(client.children('x://none')))).toBe('not-found: Resource not found')
  })
})

describe('a client that is asked before it is given a resource', () => {
  const QUESTION = {
    resultType: 'input_required',
    inputRequests: { who: { method: 'elicitation/create', params: { message: 'Who?' } }, odd: 7 },
    requestState: '{"opaque": "\u00e9\\u0000"}',
  }
  const asking = (rounds: number, answer: Answer = { ...text('given'), ttlMs: 60_000 }) =>
    modernServer(({ params }) => {
      const round = (params['inputResponses'] as { n?: number } | undefined)?.n ?? 0
      return round >= rounds ? answer : QUESTION
    })
  const added = ({ params }: Asked) => [params['inputResponses'], params['requestState']]

  it('answers as its host decides, echoes the state exactly, and keeps nothing', async () => {
    const server = asking(2)
    const questions: unknown[] = []
    const { client } = opened(server, {
      onInput: (question) => {
        questions.push(question)
        return { n: question.round }
      },
    })
    expect(await client.readText('x:1')).toBe('given')
    expect(questions).toEqual(
      [1, 2].map((round) => ({
        uri: 'x:1',
        round,
        requests: { who: { method: 'elicitation/create', params: { message: 'Who?' } } },
      })),
    )
    expect(server.asked.slice(1).map(added)).toEqual([
      [undefined, undefined],
      [{ n: 1 }, QUESTION.requestState],
      [{ n: 2 }, QUESTION.requestState],
    ])
    await client.readText('x:1')
    expect(server.asked).toHaveLength(7)
  })

  it('refuses where nobody answers, or somebody will not', async () => {
    const silent = opened(asking(1))
    expect(await failure(silent.client.read('x:1'))).toBe(
      'refused: The server wants an answer to elicitation/create before it gives x:1, and there is none',
    )
    const declining = opened(asking(1), { onInput: () => undefined })
    expect(await failure(declining.client.read('x:1'))).toContain('refused')
    const own = await silent.client.read('x:1', { onInput: async () => ({ n: 1 }) })
    expect(own.contents).toMatchObject([{ text: 'given' }])
  })

  it('gives up on a server that asks without end', async () => {
    const server = asking(1_000)
    const { client } = opened(server, { onInput: ({ round }) => ({ n: round }) })
    expect(await failure(client.read('x:1'))).toBe('refused: The server asked 8 times before it gave x:1; given up')
    expect(server.asked).toHaveLength(10)
    const blank = modernServer(() => ({ resultType: 'input_required' }))
    expect(await failure(opened(blank).client.read('x:1'))).toContain('refused')
    expect(blank.asked).toHaveLength(10)
  })

  it('lets a caller give up while somebody thinks', async () => {
    const giving = new AbortController()
    const thinking = settleable<undefined>()
    const { client } = opened(asking(1), { onInput: () => thinking.promise })
    const asked = failure(client.read('x:1', { signal: giving.signal, onInput: () => thinking.promise }))
    const shared = failure(client.read('x:1', { signal: giving.signal }))
    await turns()
    giving.abort()
    expect([await asked, await shared]).toEqual(Array(2).fill('cancelled: Cancelled by the caller'))
  })

  it('tells the failure of a host that fails', async () => {
    const { client } = opened(asking(1), { onInput: () => Promise.reject(new Error('window closed')) })
    expect(await failure(client.read('x:1'))).toContain('window closed')
  })

  it('readOnce() hands the question on, and takes the answer back', async () => {
    const server = asking(1)
    const { client } = opened(server, { onInput: () => ({ n: 1 }) })
    const question = (await client.readOnce('x:1')) as ClientQuestion
    expect(question).toEqual({
      kind: 'input-required',
      requests: { who: { method: 'elicitation/create', params: { message: 'Who?' } } },
      state: QUESTION.requestState,
    })
    const answers = { responses: { n: 1 }, state: question.state! }
    expect(await client.readOnce('x:1', { answers })).toMatchObject({ kind: 'contents', contents: [{ text: 'given' }] })
  })

  it('is not fooled by keys and methods without end', async () => {
    const inputRequests = JSON.parse(
      `{"__proto__":{"method":"a"},${Array.from({ length: 10_000 }, (_, i) => `"k${i}":{"method":"${'m'.repeat(100)}"}`).join(',')}}`,
    ) as object
    const { client } = opened(modernServer(() => ({ resultType: 'input_required', inputRequests })))
    const why = await failure(client.read('x:1'))
    expect([why.startsWith('refused'), why.length < 400]).toEqual([true, true])
    const question = (await client.readOnce('x:1')) as ClientQuestion
    expect(Object.keys(question.requests)).toHaveLength(10_000)
  })
})
