import { describe, expect, it } from 'vitest'
import type { Methods } from './checked.ts'
import { A, B, found, HINTS, LEGACY, MODERN, text } from './checked.ts'

const NO_TEMPLATES: Methods = { 'resources/templates/list': () => ({ ...HINTS, resourceTemplates: [] }) }
const reads: Methods = {
  'resources/read': ({ params: { uri } }) => (String(uri).includes('shelfmark') ? ABSENT : { ...HINTS, ...text(uri) }),
}
const ABSENT = { error: { code: -32_602, message: 'Resource not found' } }

const listing = (...resources: readonly unknown[]): Methods => ({
  ...NO_TEMPLATES,
  ...reads,
  'resources/list': () => ({ ...HINTS, resources }),
})

describe('runChecks(), of lists', () => {
  const cases: readonly (readonly [what: string, methods: Methods, findings: readonly string[]])[] = [
    [
      'an entry without a URI',
      listing(A, { name: 'no uri' }, 7, { uri: '', name: 'empty' }),
      [
        'error item-without-uri (resources/list): Entry 1 of a page has no uri',
        'error item-without-uri (resources/list): Entry 2 of a page has no uri',
        'error item-without-uri (resources/list): Entry 3 of a page has no uri',
      ],
    ],
    [
      'an entry without a name',
      listing({ uri: 'note:a' }, { uri: 'note:b', name: null }),
      ['error item-without-name (note:a): name is missing', 'error item-without-name (note:b): name is no text'],
    ],
    [
      'members of a type that the schema does not have',
      listing({
        uri: 'note:a',
        name: 'a',
        description: null,
        size: '1',
        annotations: { priority: 2 },
        icons: [{}],
        _meta: [],
      }),
      [
        'error item-member (note:a): description is no text',
        'error item-member (note:a): size is no number',
        'error item-member (note:a): _meta is no object',
        'error item-member (note:a): icons is no list of icons',
        'error item-member (note:a): annotations has a value that the schema does not have',
      ],
    ],
    [
      'URIs that are none',
      listing(
        { uri: 'readme.md', name: 'r' },
        { uri: 'file:///a b', name: 'space' },
        { uri: 'file:///100%', name: 'percent' },
        { uri: 'note:{id}', name: 'template' },
        { uri: 'note:caf\u00e9', name: 'iri' },
      ),
      [
        'error invalid-uri (readme.md): The URI has no scheme',
        'error invalid-uri (file:///a b): The URI has the character " "',
        'error invalid-uri (file:///100%): The URI has a percent sign without two hexadecimal digits',
        'error invalid-uri (note:{id}): The URI has the character "{"',
        'error invalid-uri (note:caf\u00e9): The URI has the character "\u00e9"',
      ],
    ],
    [
      'URIs that are odd and are URIs',
      listing(
        { uri: 'x-a+b.c:?#', name: 'short' },
        { uri: "http://[::1]:80/a;b=c,d!$&'()*+@", name: 'all' },
        { uri: 'urn:isbn:0451450523', name: 'opaque' },
        { uri: `note:${'a'.repeat(9_000)}`, name: 'long' },
      ),
      [],
    ],
    [
      'the same URI twice on a page',
      listing(A, A),
      ['warning duplicate-uri (note:a): A page of resources/list has it more than once'],
    ],
    [
      'the same URI on two pages, which changes may bring about',
      {
        ...NO_TEMPLATES,
        'resources/list': ({ params: { cursor } }) =>
          cursor === undefined
            ? { ...HINTS, resources: [A], nextCursor: '2' }
            : cursor === '2'
              ? { ...HINTS, resources: [A, B] }
              : ABSENT,
      },
      [],
    ],
    [
      'a result without a list',
      { ...NO_TEMPLATES, 'resources/list': () => ({ ...HINTS, items: [] }) },
      ['error list-shape (resources/list): The result of resources/list has no resources'],
    ],
    [
      'a cursor that is a number',
      { ...NO_TEMPLATES, 'resources/list': () => ({ ...HINTS, resources: [A], nextCursor: 2 }) },
      ['error cursor-shape (resources/list): nextCursor of resources/list is no text'],
    ],
    [
      'a cursor that is null, which this revision takes for none',
      { ...NO_TEMPLATES, 'resources/list': () => ({ ...HINTS, resources: [A], nextCursor: null }) },
      [],
    ],
    [
      'an empty cursor, which is one like any other',
      {
        ...NO_TEMPLATES,
        'resources/list': ({ params }) =>
          'cursor' in params
            ? params['cursor'] === ''
              ? { ...HINTS, resources: [B] }
              : ABSENT
            : { ...HINTS, resources: [A], nextCursor: '' },
      },
      [],
    ],
    [
      'a list that gives the same page again and again',
      { ...NO_TEMPLATES, 'resources/list': () => ({ ...HINTS, resources: [A, B], nextCursor: 'more' }) },
      [
        'warning paging-loop (resources/list): Page 2 of resources/list brings nothing new and has a next one, whose cursor was there before',
      ],
    ],
    [
      'a list that goes on for ever with new cursors',
      {
        ...NO_TEMPLATES,
        'resources/list': ({ id }) => ({ ...HINTS, resources: [A], nextCursor: `${id}` }),
      },
      ['warning paging-loop (resources/list): Page 17 of resources/list brings nothing new and has a next one'],
    ],
    [
      'a server that pages and takes any cursor',
      {
        ...NO_TEMPLATES,
        'resources/list': ({ params: { cursor } }) =>
          cursor === '2' ? { ...HINTS, resources: [B] } : { ...HINTS, resources: [A], nextCursor: '2' },
      },
      ['warning invalid-cursor (resources/list): A cursor that was never given is answered with a result, not with error -32602'],
    ],
    [
      'a server that pages and calls a wrong cursor its own fault',
      {
        ...NO_TEMPLATES,
        'resources/list': ({ params: { cursor } }) => {
          if (cursor === undefined) return { ...HINTS, resources: [A], nextCursor: '2' }
          return cursor === '2' ? { ...HINTS, resources: [B] } : { error: { code: -32_603, message: 'Internal error' } }
        },
      },
      [
        'warning invalid-cursor (resources/list): A cursor that was never given is answered with error -32603, not with error -32602',
      ],
    ],
    [
      'templates that are none',
      {
        'resources/templates/list': () => ({
          ...HINTS,
          resourceTemplates: [
            { uriTemplate: 'note:{id', name: 'open' },
            { uriTemplate: 'note:{user-id}', name: 'dash' },
            { name: 'none' },
            { uriTemplate: '{+url}', name: 'all of it' },
          ],
        }),
        'completion/complete': () => ({ resultType: 'complete', completion: { values: [] } }),
      },
      [
        'error template-unparsable (note:{id): The template is refused at offset 5 (unclosed)',
        'error template-unparsable (note:{user-id}): The template is refused at offset 10 (name)',
        'error item-without-uri (resources/templates/list): Entry 2 of a page has no uriTemplate',
      ],
    ],
  ]

  it.each(cases)('judges %s', async (_, methods, findings) => {
    expect(await found(MODERN, methods)).toEqual(findings)
  })

  it('takes a cursor that is null for a fault of older revisions', async () => {
    expect(await found(LEGACY, { 'resources/list': () => ({ resources: [A], nextCursor: null }) })).toEqual([
      'error cursor-shape (resources/list): nextCursor of resources/list is no text',
    ])
  })
})

describe('runChecks(), of cache hints', () => {
  it.each<readonly [string, object, readonly string[]]>([
    [
      'none at all',
      { resultType: 'complete' },
      ['error cache-hint-missing (resources/list): The result of resources/list has no ttlMs and no cacheScope'],
    ],
    [
      'no scope',
      { resultType: 'complete', ttlMs: 5 },
      ['error cache-hint-missing (resources/list): The result of resources/list has no cacheScope'],
    ],
    [
      'a time before now and a scope that is none',
      { resultType: 'complete', ttlMs: -1, cacheScope: 'team' },
      [
        'error cache-hint-wrong (resources/list): ttlMs of resources/list is no integer of at least 0',
        'error cache-hint-wrong (resources/list): cacheScope of resources/list is neither public nor private',
      ],
    ],
    [
      'half a millisecond',
      { resultType: 'complete', ttlMs: 0.5, cacheScope: 'public' },
      ['error cache-hint-wrong (resources/list): ttlMs of resources/list is no integer of at least 0'],
    ],
  ])('judges %s', async (_, hints, findings) => {
    expect(await found(MODERN, { 'resources/list': () => ({ ...hints, resources: [A, B] }) })).toEqual(findings)
  })

  it('wants one scope for all pages', async () => {
    const list: Methods = {
      'resources/list': ({ params: { cursor } }) => {
        if (cursor === undefined) return { ...HINTS, resources: [A], nextCursor: '2' }
        return cursor === '2' ? { ...HINTS, cacheScope: 'public', resources: [B] } : ABSENT
      },
    }
    expect(await found(MODERN, list)).toEqual([
      'error cache-scope-varies (resources/list): Pages of resources/list have different cacheScope',
    ])
  })

  it('wants them on discovery, on reads and on lists of tools too', async () => {
    const capabilities = { resources: {}, tools: {} }
    const meta = { 'io.modelcontextprotocol/serverInfo': { name: 'n', version: '1' } }
    expect(
      await found(MODERN, {
        'server/discover': () => ({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities, _meta: meta }),
        'tools/list': () => ({ resultType: 'complete', tools: [] }),
        'resources/list': () => ({ ...HINTS, resources: [B] }),
        'resources/read': ({ params: { uri } }) => (uri === 'note:b' ? { resultType: 'complete', ...text(uri) } : ABSENT),
      }),
    ).toEqual([
      'error cache-hint-missing (server/discover): The result of server/discover has no ttlMs and no cacheScope',
      'error cache-hint-missing (tools/list): The result of tools/list has no ttlMs and no cacheScope',
      'error cache-hint-missing (note:b): The result of resources/read has no ttlMs and no cacheScope',
    ])
  })
})
