import { describe, expect, it } from 'vitest'
import type { Answer } from '../client/scripted-server.ts'
import type { Methods } from './checked.ts'
import { A, check, found, HINTS, LEGACY, MODERN, NOT_FOUND, serverOf } from './checked.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64')

/** A server with one resource, listed with these members more, and its answer to a read. */
function one(listed: object, answer: Answer): Methods {
  return {
    'resources/list': () => ({ ...HINTS, resources: [{ uri: 'note:a', name: 'a', ...listed }] }),
    'resources/templates/list': () => ({ ...HINTS, resourceTemplates: [] }),
    'resources/read': ({ params: { uri } }) => (uri === 'note:a' ? answer : NOT_FOUND),
  }
}

const contents = (...items: readonly unknown[]): Answer => ({ ...HINTS, contents: items })
const item = (more: object): Answer => contents({ uri: 'note:a', ...more })

describe('runChecks(), of reads', () => {
  const cases: readonly (readonly [what: string, methods: Methods, findings: readonly string[]])[] = [
    [
      'a listed resource that is not there',
      one({}, NOT_FOUND),
      ['error listed-unreadable (note:a): A listed resource is answered with error -32602'],
    ],
    [
      'a listed resource that fails',
      one({}, { error: { code: -32_603, message: 'Internal error' } }),
      ['error listed-unreadable (note:a): A listed resource is answered with error -32603'],
    ],
    [
      'a refusal of the server’s own',
      one({}, { error: { code: 10_413, message: 'Too large' } }),
      ['info read-refused (note:a): A listed resource is answered with error 10413'],
    ],
    ['a question before the contents', one({}, { resultType: 'input_required', inputRequests: {} }), []],
    ['an empty text', one({}, item({ text: '' })), []],
    ['an empty resource', one({}, contents()), []],
    [
      'several contents of a directory',
      one({ mimeType: 'inode/directory', size: 4 }, contents({ uri: 'note:a', text: '' }, { uri: 'note:a/b', text: 'b' })),
      [],
    ],
    [
      'a result without contents',
      one({}, { ...HINTS, content: [] }),
      ['error contents-shape (note:a): The result has no array contents'],
    ],
    [
      'contents with neither text nor blob',
      one({}, contents({ uri: 'note:a' }, 'text', { uri: 'note:a', text: 7 }, { uri: 'note:a', blob: null })),
      [
        'error contents-shape (note:a): An item of contents has neither text nor blob',
        'error contents-shape (note:a): An item of contents is no object',
        'error contents-shape (note:a): text of contents is no text',
        'error contents-shape (note:a): blob of contents is no text',
      ],
    ],
    [
      'contents without a URI',
      one({}, contents({ text: 'a' })),
      ['error contents-without-uri (note:a): An item of contents has no uri'],
    ],
    [
      'contents with both text and blob',
      one({}, item({ text: 'a', blob: 'YQ==' })),
      ['warning text-and-blob (note:a): An item of contents has both text and blob'],
    ],
    ...['YQ', 'YQ=', 'Y Q==', 'YW-_', 'data:text/plain;base64,YQ==', 'YR==', 'caf\u00e9'].map(
      (blob) =>
        [
          `the blob ${JSON.stringify(blob)}`,
          one({}, item({ blob })),
          ['error invalid-base64 (note:a): The blob is no base64'],
        ] as const,
    ),
    ['blobs that are base64', one({}, contents({ uri: 'note:a', blob: '' }, { uri: 'note:a', blob: '+/8=' })), []],
    [
      'another type than is listed',
      one({ mimeType: 'text/markdown' }, item({ mimeType: 'text/plain', text: 'a' })),
      ['warning mime-differs (note:a): It is listed as text/markdown and read as text/plain'],
    ],
    [
      'the same type with a parameter',
      one({ mimeType: 'Text/Plain' }, item({ mimeType: 'text/plain; charset=utf-8', text: 'a' })),
      [],
    ],
    [
      'a listed text that turns out to be none',
      one({ mimeType: 'text/plain' }, item({ mimeType: 'application/octet-stream', blob: '6Q==' })),
      [],
    ],
    [
      'a type that gets lost in reading',
      one({ mimeType: 'text/plain' }, item({ mimeType: 'application/octet-stream', text: 'a' })),
      ['warning mime-differs (note:a): It is listed as text/plain and read as application/octet-stream'],
    ],
    ['a type in only one of both', one({ mimeType: 'text/plain' }, item({ text: 'a' })), []],
    [
      'another size than is listed',
      one({ size: 7 }, item({ text: 'caf\u00e9' })),
      ['warning size-differs (note:a): It is listed with 7 bytes and read with 5'],
    ],
    ['a size in bytes before base64', one({ size: 2 }, item({ blob: '+/8=' })), []],
    [
      'bytes of another type',
      one({}, item({ mimeType: 'image/jpeg', blob: PNG })),
      ['warning mime-content (note:a): The bytes are none of image/jpeg'],
    ],
    ['bytes of their type', one({}, item({ mimeType: 'image/png', blob: PNG })), []],
    ['bytes of a type without a beginning of its own', one({}, item({ mimeType: 'application/x-any', blob: PNG })), []],
    [
      'an image in text',
      one({}, item({ mimeType: 'image/png', text: PNG })),
      ['warning binary-as-text (note:a): Contents of type image/png are sent as text'],
    ],
    ['an image that is text', one({}, item({ mimeType: 'image/svg+xml', text: '<svg/>' })), []],
    [
      'bytes that were decoded',
      one({}, item({ text: Buffer.from('ff'.repeat(20), 'hex').toString('utf8') })),
      ['warning binary-as-text (note:a): The text is bytes that were decoded and lost'],
    ],
    ['a text that tells of the replacement character', one({}, item({ text: `${'\uFFFD'.repeat(9)}${'.'.repeat(200)}` })), []],
    [
      'text in a blob',
      one({}, item({ mimeType: 'text/plain', blob: 'YQ==' })),
      ['info text-as-blob (note:a): Text of type text/plain is sent as a blob'],
    ],
    ['a text that is no UTF-8 in a blob', one({}, item({ mimeType: 'text/plain', blob: '6Q==' })), []],
  ]

  it.each(cases)('judges %s', async (_, methods, findings) => {
    expect(await found(MODERN, methods)).toEqual(findings)
  })

  it('takes an unreadable resource of a legacy server for a warning, as no MUST of its revision says so', async () => {
    const error = { error: { code: -32_002, message: 'Resource not found' } }
    expect(
      await found(LEGACY, {
        'resources/read': ({ params: { uri } }) =>
          uri === 'note:b' || String(uri).includes('check') ? error : { contents: [{ uri, text: 'x' }] },
      }),
    ).toEqual(['warning listed-unreadable (note:b): A listed resource is answered with error -32002'])
  })

  it('says nothing of a resource that went since it was listed', async () => {
    let lists = 0
    const gone: Methods = {
      ...one({}, NOT_FOUND),
      'resources/list': () => ({ ...HINTS, resources: lists++ === 0 ? [A] : [] }),
    }
    expect(await found(MODERN, gone)).toEqual([])
  })

  it('says nothing of a resource that grew since it was listed', async () => {
    let size = 1
    const grows: Methods = {
      'resources/list': () => ({ ...HINTS, resources: [{ uri: 'note:a', name: 'a', size }] }),
      'resources/templates/list': () => ({ ...HINTS, resourceTemplates: [] }),
      'resources/read': ({ params: { uri } }) => (uri === 'note:a' ? item({ text: 'x'.repeat(++size) }) : NOT_FOUND),
    }
    expect(await found(MODERN, grows)).toEqual([])
  })

  it('says nothing of a web address that the server does not read itself', async () => {
    const web: Methods = {
      ...one({}, NOT_FOUND),
      'resources/list': () => ({ ...HINTS, resources: [{ uri: 'https://example.com/', name: 'web' }] }),
    }
    expect(await found(MODERN, web)).toEqual([])
  })

  it('shows what was seen, where the specification says so, and what to do', async () => {
    expect(await check(serverOf({ ...MODERN, ...one({}, item({ blob: '?' })) }))).toEqual([
      {
        severity: 'error',
        rule: 'invalid-base64',
        message: 'The blob is no base64',
        subject: 'note:a',
        evidence: '?',
        spec: 'https://modelcontextprotocol.io/specification/2026-07-28/server/resources#security-considerations',
        advice: 'Encode bytes by RFC 4648 section 4: +, / and padding, no line breaks, no `data:` in front.',
      },
    ])
  })
})

describe('runChecks(), of what is absent', () => {
  const absent = (answer: Answer): Methods => ({
    'resources/read': ({ params: { uri } }) =>
      String(uri).includes('shelfmark') ? answer : { ...HINTS, contents: [{ uri, text: 'x' }] },
  })

  it.each<readonly [string, Methods, readonly string[]]>([
    [
      'the code of older revisions',
      absent({ error: { code: -32_002, message: 'Resource not found' } }),
      [
        'error not-found-code (note:a-shelfmark-check-*): A resource that does not exist is answered with error -32002, not with error -32602',
        'error not-found-code (shelfmark-check-*:absent): A resource that does not exist is answered with error -32002, not with error -32602',
      ],
    ],
    [
      'an error of the server',
      absent({ error: { code: -32_603, message: 'Internal error' } }),
      [
        'error not-found-code (note:a-shelfmark-check-*): A resource that does not exist is answered with error -32603, not with error -32602',
        'error not-found-code (shelfmark-check-*:absent): A resource that does not exist is answered with error -32603, not with error -32602',
      ],
    ],
    ['a code of the server’s own', absent({ error: { code: 403, message: 'Nobody may ask' } }), []],
    [
      'empty contents',
      absent({ ...HINTS, contents: [] }),
      [
        'error empty-for-absent (note:a-shelfmark-check-*): A resource that does not exist is answered with empty contents',
        'error empty-for-absent (shelfmark-check-*:absent): A resource that does not exist is answered with empty contents',
      ],
    ],
    [
      'the text of an error',
      absent({ ...HINTS, contents: [{ uri: 'x:', text: 'Error: not found' }] }),
      ['error contents-for-absent (shelfmark-check-*:absent): A resource that cannot exist is answered with contents'],
    ],
  ])('judges %s', async (_, methods, findings) => {
    expect(await found(MODERN, methods)).toEqual(findings)
  })

  it('wants -32002 of a legacy server, which only SHOULD', async () => {
    expect(await found(LEGACY, absent(NOT_FOUND))).toEqual([
      'warning not-found-code (note:a-shelfmark-check-*): A resource that does not exist is answered with error -32602, not with error -32002',
    ])
  })

  it('asks for nothing that a template may match', async () => {
    const server = serverOf({
      ...MODERN,
      'resources/templates/list': () => ({ ...HINTS, resourceTemplates: [{ uriTemplate: '{+uri}', name: 'all' }] }),
      'completion/complete': () => ({ resultType: 'complete', completion: { values: [] } }),
    })
    expect(await check(server)).toEqual([])
    const read = server.asked.filter(({ method }) => method === 'resources/read').map(({ params }) => params['uri'])
    expect(read.filter((uri) => String(uri).includes('shelfmark'))).toEqual([])
  })
})

describe('runChecks(), of templates', () => {
  const suggesting = (...values: readonly unknown[]): Methods => ({
    'completion/complete': () => ({ resultType: 'complete', completion: { values } }),
  })

  it.each<readonly [string, Methods, readonly string[]]>([
    [
      'a template of which nothing that is suggested can be read',
      suggesting('Bob', 'Eve'),
      [
        'warning template-unreadable (greeting:{name}): The server suggests values for it, and none can be read: greeting:Eve is answered with error -32602',
      ],
    ],
    ['a template of which something that is suggested can be read', suggesting('Bob', 'Ada'), []],
    ['a template for which nothing is suggested', suggesting(), []],
    [
      'a completion that is none',
      { 'completion/complete': () => ({ resultType: 'complete', values: ['Ada'] }) },
      ['error completion-shape (greeting:{name}): The result of completion/complete has no completion.values'],
    ],
    [
      'more values than there may be',
      suggesting('Ada', ...Array.from({ length: 100 }, (_, index) => `${index}`)),
      ['error completion-too-many (greeting:{name}): A completion of name has 101 values'],
    ],
    [
      'a completion that is declared and not there',
      { 'completion/complete': () => ({ error: { code: -32_601, message: 'Method not found' } }) },
      [
        'warning completion-unanswered (completion/complete): The capability completions is declared, and completion/complete is answered with error -32601',
      ],
    ],
    [
      'a template that is longer than any URI, which nothing is asked about',
      {
        'resources/templates/list': () => ({
          ...HINTS,
          resourceTemplates: [{ uriTemplate: `greeting:${'x'.repeat(70_000)}{name}`, name: 'long' }],
        }),
        'completion/complete': () => ({ error: { code: -32_603, message: 'asked' } }),
      },
      ['info incomplete (): Not looked at: 1 of 1 templates were not tried'],
    ],
    ['a completion that knows no templates', { 'completion/complete': () => NOT_FOUND }, []],
  ])('judges %s', async (_, methods, findings) => {
    expect(await found(MODERN, methods)).toEqual(findings)
  })

  it('gives the values before as context, from the revision on that has it', async () => {
    const two = (protocolVersion: string): Methods => ({
      ...LEGACY,
      initialize: () => ({
        protocolVersion,
        capabilities: { resources: {}, completions: {} },
        serverInfo: { name: 'n', version: '1' },
      }),
      'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'repo:{owner}/{name}', name: 'repo' }] }),
      'resources/read': ({ params: { uri } }) =>
        String(uri).includes('check') ? { error: { code: -32_002, message: 'No' } } : { contents: [{ uri, text: 'x' }] },
    })
    const context = async (protocolVersion: string) => {
      const server = serverOf(two(protocolVersion))
      expect(await check(server)).toEqual([])
      return server.asked.filter(({ method }) => method === 'completion/complete').map(({ params }) => params['context'])
    }
    expect(await context('2025-11-25')).toEqual([undefined, { arguments: { owner: 'Ada' } }])
    expect(await context('2025-03-26')).toEqual([undefined, undefined])
  })
})
