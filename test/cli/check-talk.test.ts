import { describe, expect, it } from 'vitest'
import { ShelfError } from '../../src/errors.ts'
import type { Connect } from '../../src/client/index.ts'
import { runChecks } from '../../src/cli/check/run-checks.ts'
import type { Answer, ScriptedServer } from '../client/scripted-server.ts'
import type { Methods } from './checked.ts'
import { A, ANY_VERSION, check, found, HINTS, LEGACY, MODERN, NOT_FOUND, serverOf } from './checked.ts'

const error = (code: unknown, message: unknown = 'No', data?: unknown) => ({
  error: { code, message, ...(data !== undefined && { data }) },
})
const NO_METHOD = 'dev.shelfmark.check/no-such-method'

describe('runChecks(), of what is declared', () => {
  const declaring = (capabilities: object): Methods => ({
    ...LEGACY,
    initialize: () => ({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'n', version: '1' } }),
  })

  it('finds a list that is declared and not answered: an error since 2026-07-28, a warning before', async () => {
    const list: Methods = {
      'resources/list': () => error(-32_601),
      'resources/templates/list': () => ({ ...HINTS, resourceTemplates: [] }),
    }
    const quiet: Methods = { ...list, 'subscriptions/listen': MODERN['subscriptions/listen']! }
    expect(await found(MODERN, quiet)).toEqual([
      'error resources-unanswered (resources/list): The capability resources is declared, and resources/list is answered with error -32601',
    ])
    expect(await found(LEGACY, list)).toEqual([
      'warning resources-unanswered (resources/list): The capability resources is declared, and resources/list is answered with error -32601',
    ])
  })

  it('finds lists of tools and prompts that are declared and not answered', async () => {
    expect(await found(declaring({ tools: {}, prompts: {} }))).toEqual(
      [
        'warning tools-unanswered (tools/list): The capability tools is declared, and tools/list is answered with error -32601',
        'warning prompts-unanswered (prompts/list): The capability prompts is declared, and prompts/list is answered with error -32601',
        // What is there and not declared is another fault.
        'error undeclared-resources (resources/list): resources/list gives 2 entries, and the capability resources is not declared',
        'error undeclared-resources (resources/templates/list): resources/templates/list gives 1 entries, and the capability resources is not declared',
      ].toSorted((one, other) => (one.startsWith('error') ? 0 : 1) - (other.startsWith('error') ? 0 : 1)),
    )
  })

  it('says that templates are not answered, which nothing forbids', async () => {
    expect(await found(LEGACY, { 'resources/templates/list': () => error(-32_601) })).toEqual([
      'info templates-unanswered (resources/templates/list): The capability resources is declared, and resources/templates/list is answered with error -32601',
    ])
  })

  it('lets a server refuse with a code of its own', async () => {
    expect(
      await found(declaring({ tools: {} }), {
        'tools/list': () => error(403),
        'resources/list': () => error(-32_601),
        'resources/templates/list': () => error(-32_601),
      }),
    ).toEqual([])
  })
})

describe('runChecks(), of the opening', () => {
  it.each<readonly [string, Methods, Methods, readonly string[]]>([
    [
      'a discovery without its members',
      MODERN,
      { 'server/discover': () => ({ ...HINTS, capabilities: { resources: {} } }), 'subscriptions/listen': () => undefined },
      [
        'error opening-shape (server/discover): The answer to server/discover has no supportedVersions',
        'warning server-info-missing (server/discover): The server does not say its name and version',
      ],
    ],
    [
      'an initialization without serverInfo',
      LEGACY,
      { initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { resources: {} } }) },
      ['error opening-shape (initialize): The answer to initialize has no serverInfo with name and version'],
    ],
    [
      'a ping that is refused',
      LEGACY,
      { ping: () => error(-32_601) },
      ['error ping-refused (ping): ping is answered with error -32601'],
    ],
    [
      'a method that does not exist and is answered',
      LEGACY,
      { [NO_METHOD]: () => ({}) },
      [`warning unknown-method (${NO_METHOD}): A method that does not exist is answered with a result, not with error -32601`],
    ],
    [
      'a method that does not exist and is called wrong parameters',
      MODERN,
      { [NO_METHOD]: () => error(-32_602) },
      [
        `warning unknown-method (${NO_METHOD}): A method that does not exist is answered with error -32602, not with error -32601`,
      ],
    ],
    [
      'a version that does not exist and is served',
      MODERN,
      { [ANY_VERSION]: () => ({}) },
      [
        'error version-refusal (resources/list): A request of version 1900-01-01 is answered with a result, not with error -32022 and data.supported',
      ],
    ],
  ])('judges %s', async (_, clean, methods, findings) => {
    expect(await found(clean, methods)).toEqual(findings)
  })
})

describe('runChecks(), of any answer', () => {
  it.each<readonly [string, Methods, Methods, readonly string[]]>([
    [
      'a result without its type',
      MODERN,
      { 'resources/list': () => ({ ttlMs: 0, cacheScope: 'private', resources: [A] }) },
      ['error result-type-missing (resources/list): The result of resources/list has no resultType'],
    ],
    [
      'a result that is no object',
      LEGACY,
      { 'completion/complete': () => [] as unknown as Answer },
      ['error result-shape (greeting:{name}): The result of completion/complete is no object'],
    ],
    [
      'an error without a code or message',
      LEGACY,
      { [NO_METHOD]: () => error('NOT_FOUND', undefined) },
      [
        `error error-shape (${NO_METHOD}): The error of ${NO_METHOD} has no integer code, or no message that is text`,
        `warning unknown-method (${NO_METHOD}): A method that does not exist is answered with an error, not with error -32601`,
      ],
    ],
    [
      'a code that is reserved for the specification',
      MODERN,
      { 'completion/complete': () => error(-32_050) },
      ['error reserved-code (greeting:{name}): completion/complete is answered with error -32050, which is not defined'],
    ],
    [
      'a stack trace',
      LEGACY,
      { 'completion/complete': () => error(-32_603, 'Boom', { stack: 'Error: Boom\n    at load (/srv/app/index.js:3:7)' }) },
      ['info error-leak (greeting:{name}): The error of completion/complete tells a stack trace'],
    ],
    [
      'a traceback',
      LEGACY,
      { 'completion/complete': () => error(-32_603, 'Traceback (most recent call last):\n  File "x.py", line 1') },
      ['info error-leak (greeting:{name}): The error of completion/complete tells a stack trace'],
    ],
    [
      'a path of the machine',
      LEGACY,
      { 'completion/complete': () => error(-32_603, "ENOENT: no such file or directory, open '/home/ada/secret.db'") },
      ['info error-leak (greeting:{name}): The error of completion/complete tells a path of its machine'],
    ],
    ['an address of the web', LEGACY, { 'completion/complete': () => error(-32_603, 'See https://example.com/usr/help') }, []],
  ])('judges %s', async (_, clean, methods, findings) => {
    expect(await found(clean, methods)).toEqual(findings)
  })

  it('takes no path for a secret that the server lists itself', async () => {
    const uri = 'file:///home/ada/notes%20x/a.txt'
    expect(
      await found(LEGACY, {
        'resources/list': () => ({ resources: [{ uri, name: 'a' }] }),
        'resources/templates/list': () => ({ resourceTemplates: [] }),
        'resources/read': ({ params }) =>
          params['uri'] === uri ? { contents: [{ uri, text: 'x' }] } : error(-32_002, 'Not in /home/ada/notes'),
      }),
    ).toEqual([])
  })

  it('says which request got no answer', async () => {
    const silent: Methods = { ...LEGACY, [NO_METHOD]: () => new Promise(() => undefined) }
    const findings = await check(serverOf(silent), { timeoutMs: 300 })
    expect(findings.map(({ severity, rule, message }) => [severity, rule, message])).toEqual([
      ['warning', 'no-answer', `${NO_METHOD} gets no answer within 300 ms`],
    ])
  })

  it('goes on with a new connection when the server ends at a request', async () => {
    let ended = false
    const dies: Methods = {
      'completion/complete': (_, server) => {
        if (ended) return { completion: { values: [] } }
        ended = true
        server.die()
        return undefined
      },
    }
    expect(await found(LEGACY, dies)).toEqual([
      'warning no-answer (greeting:{name}): completion/complete is not answered: The connection was closed',
    ])
  })
})

describe('runChecks(), of messages', () => {
  it.each<readonly [string, unknown, readonly string[]]>([
    [
      'a message without its version',
      { method: 'notifications/message', params: {} },
      ['error message-shape (standard output): A message is none of JSON-RPC 2.0'],
    ],
    [
      'an answer that is both',
      { jsonrpc: '2.0', id: 'x', result: {}, error: { code: 1, message: '' } },
      ['error message-shape (standard output): A message is none of JSON-RPC 2.0'],
    ],
    [
      'a question that nobody declared',
      { jsonrpc: '2.0', id: 7, method: 'roots/list' },
      ['error server-request (roots/list): The server asks roots/list of a client that declared nothing'],
    ],
    ['a ping', { jsonrpc: '2.0', id: 7, method: 'ping' }, []],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: '' } }, []],
    ['an error of no request', { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error' } }, []],
  ])('judges %s', async (_, message, findings) => {
    const methods: Methods = {
      ping: (__, server) => {
        server.send(message)
        return {}
      },
    }
    expect(await found(LEGACY, methods)).toEqual(findings)
  })

  it('takes a question of an older revision for a warning, and any of the newest for an error', async () => {
    const asks =
      (method: string): Methods[string] =>
      (_, server) => {
        server.send({ jsonrpc: '2.0', id: 7, method })
        return { ...HINTS, resourceTemplates: [] }
      }
    const old: Methods = {
      initialize: () => ({
        protocolVersion: '2025-03-26',
        capabilities: { resources: {} },
        serverInfo: { name: 'n', version: '1' },
      }),
      'resources/templates/list': asks('roots/list'),
    }
    expect(await found(LEGACY, old)).toEqual([
      'warning server-request (roots/list): The server asks roots/list of a client that declared nothing',
    ])
    expect(await found(MODERN, { 'resources/templates/list': asks('ping') })).toEqual([
      'error server-request (ping): The server asks ping of a client that declared nothing',
    ])
  })

  it('takes an answer with a result and an error of null for a result that is written wrong', async () => {
    const methods: Methods = {
      ping: ({ id }, server) => {
        server.send({ jsonrpc: '2.0', id, result: {}, error: null })
        return undefined
      },
    }
    expect(await found(LEGACY, methods)).toEqual(['error message-shape (standard output): A message is none of JSON-RPC 2.0'])
  })

  it('tells of an id that came back as text', async () => {
    const methods: Methods = {
      [NO_METHOD]: ({ id }, server) => {
        server.send({ jsonrpc: '2.0', id: `${id}`, error: { code: -32_601, message: 'Method not found' } })
        return undefined
      },
    }
    expect(await found(LEGACY, methods)).toEqual([
      `error id-changed (${NO_METHOD}): An answer to ${NO_METHOD} has the id as another type`,
    ])
  })

  it('tells of a message that clients would drop', async () => {
    const methods: Methods = {
      'resources/read': ({ params: { uri } }) =>
        uri === 'note:b'
          ? { contents: [{ uri, text: 'x'.repeat(10 * 1024 * 1024) }] }
          : LEGACY['resources/read']!({ id: 0, method: '', params: { uri } }, serverOf({})),
    }
    const [finding, ...others] = await check(serverOf({ ...LEGACY, ...methods }))
    expect(others).toEqual([])
    expect(finding).toMatchObject({ severity: 'info', rule: 'oversized-frame', subject: 'note:b' })
    expect(finding?.message).toMatch(/^A message has 104858\d\d bytes$/)
  })

  it('tells of lines that are no message and of frames that the transport drops', async () => {
    const { connect } = serverOf(LEGACY)
    const noisy: Connect = async () => {
      const inner = await connect()
      return Object.assign(inner, {
        start: async () => {
          inner.onerror?.(new ShelfError('parse-error', 'The server wrote a line that is no message: "Listening ..."', {}))
          inner.onerror?.(
            new ShelfError('too-large', 'The server writes a line of more than 10485760 bytes', { size: 0, limit: 0 }),
          )
        },
      })
    }
    const { findings } = await runChecks(noisy)
    expect(findings.map(({ severity, rule, message }) => `${severity} ${rule}: ${message}`)).toEqual([
      'error output-noise: The server wrote a line that is no message: "Listening ..."',
      'info oversized-frame: The server writes a line of more than 10485760 bytes',
    ])
  })
})

describe('runChecks(), of subscriptions', () => {
  const ack = (id: unknown, notifications: unknown) => ({
    _meta: { 'io.modelcontextprotocol/subscriptionId': id },
    notifications,
  })
  const listening = (listen: Methods[string]): Methods => ({ 'subscriptions/listen': listen })
  const ACK = 'notifications/subscriptions/acknowledged'
  const told = (server: ScriptedServer, method: string, params: object): undefined => {
    server.notify(method, params)
    return undefined
  }

  it.each<readonly [string, Methods, readonly string[]]>([
    [
      'a stream that is declared and refused',
      listening(() => error(-32_601)),
      [
        'error listen-not-acknowledged (subscriptions/listen): The server declares subscribe and listChanged, and subscriptions/listen is answered with error -32601',
      ],
    ],
    [
      'a stream that ends at once',
      listening(() => ({ resultType: 'complete' })),
      [
        'error listen-not-acknowledged (subscriptions/listen): The server declares subscribe and listChanged, and subscriptions/listen is answered with a result',
      ],
    ],
    ['a refusal of the server’s own', listening(() => error(10_429)), []],
    [
      'an acknowledgment of nothing',
      listening(({ id }, server) => told(server, ACK, ack(id, {}))),
      [
        'warning listen-not-honoured (subscriptions/listen): listChanged is declared, and not acknowledged',
        'warning listen-not-honoured (note:a): subscribe is declared, and a listed URI is not acknowledged',
      ],
    ],
    [
      'an acknowledgment of what nobody asked for',
      listening(({ id, params }, server) =>
        told(server, ACK, ack(id, { ...(params['notifications'] as object), toolsListChanged: true })),
      ),
      ['error listen-unrequested (subscriptions/listen): toolsListChanged is acknowledged and was not asked for'],
    ],
    [
      'an acknowledgment that does not say of what',
      listening(({ params }, server) => told(server, ACK, { notifications: params['notifications'] })),
      [`error subscription-id (${ACK}): ${ACK} does not carry the id of its stream`],
    ],
    [
      'an acknowledgment whose id is text',
      listening(({ id, params }, server) => told(server, ACK, ack(`${id}`, params['notifications']))),
      [`error subscription-id (${ACK}): ${ACK} does not carry the id of its stream`],
    ],
    [
      'a change before the acknowledgment',
      listening(({ id, params }, server) => {
        server.notify('notifications/resources/list_changed', ack(id, undefined))
        server.notify(ACK, ack(id, params['notifications']))
        return undefined
      }),
      [
        'error listen-unrequested (notifications/resources/list_changed): notifications/resources/list_changed comes before the acknowledgment',
      ],
    ],
  ])('judges %s', async (_, methods, findings) => {
    expect(await found(MODERN, methods)).toEqual(findings)
  })

  it('waits for an acknowledgment for a while', async () => {
    expect(
      await found(
        MODERN,
        listening(() => undefined),
        { listenMs: 100 },
      ),
    ).toEqual([
      'error listen-not-acknowledged (subscriptions/listen): The server declares subscribe and listChanged, and subscriptions/listen gets no answer within 100 ms',
    ])
  })

  it('asks only for what is declared', async () => {
    const server = serverOf({
      ...MODERN,
      'server/discover': () => ({
        ...HINTS,
        supportedVersions: ['2026-07-28'],
        capabilities: { resources: { listChanged: true } },
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'n', version: '1' } },
      }),
    })
    expect(await check(server)).toEqual([])
    expect(server.asked.find(({ method }) => method === 'subscriptions/listen')?.params['notifications']).toEqual({
      resourcesListChanged: true,
    })
  })

  it('subscribes to a legacy server, and unsubscribes', async () => {
    expect(
      await found(LEGACY, { 'resources/subscribe': () => error(-32_601), 'resources/unsubscribe': () => NOT_FOUND }),
    ).toEqual([
      'warning subscribe-refused (note:a): The server declares subscribe, and resources/subscribe of a listed URI is answered with error -32601',
      'warning subscribe-refused (note:a): The server declares subscribe, and resources/unsubscribe of a listed URI is answered with error -32602',
    ])
  })
})
