import { getEventListeners } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ShelfError } from '../../src/index.ts'
import { connectHttp } from '../../src/transports/http/index.ts'
import type { HttpConnectOptions } from '../../src/transports/http/index.ts'
import { talk } from '../talk.ts'
import { answerTo, endpointThat, EVENTS, forever, JSON_TYPE } from './hostile-endpoint.ts'
import type { Asked } from './hostile-endpoint.ts'

const MB = 1_000_000

async function against(answer: (asked: Asked) => void, options: HttpConnectOptions = {}) {
  const endpoint = await endpointThat(answer)
  return { ...endpoint, opened: await talk(connectHttp(endpoint.url, options)) }
}

/** What becomes of one request: why it is rejected, or why its stream ended. */
async function outcome(answer: (asked: Asked) => void, options?: HttpConnectOptions): Promise<Partial<ShelfError> | undefined> {
  const { opened } = await against(answer, options)
  return new Promise((resolve) => {
    opened.ask('ping', {}, { onRequestStreamEnd: (reason) => resolve(reason) }).catch(resolve)
  })
}

describe('connectHttp() to servers that say too much', () => {
  it.each([
    ['a body without end', { ...JSON_TYPE }],
    ['a body that is said to be long', { ...JSON_TYPE, 'content-length': String(500 * MB) }],
    ['an event without end', { ...EVENTS }],
  ])('connectHttp() breaks off %s, in flat memory', async (_name, headers) => {
    const before = process.memoryUsage().rss
    const reason = await outcome(
      ({ response }) => {
        response.writeHead(200, headers)
        if (headers['content-type'] === EVENTS['content-type']) response.write('data: ')
        forever(response, Buffer.alloc(64 * 1024, 'x'))
      },
      { maxFrame: 4 * MB },
    )
    expect(reason).toMatchObject({ code: 'too-large', details: { limit: 4 * MB } })
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MB)
  })

  it('connectHttp() counts what a compressed answer becomes', async () => {
    const packed = gzipSync(Buffer.alloc(50 * MB, ' '))
    const reason = await outcome(
      ({ response }) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(packed),
      { maxFrame: MB },
    )
    expect(reason).toMatchObject({ code: 'too-large' })
  })

  it('connectHttp() lets a stream of small events live on, whatever they sum up to', async () => {
    const { opened } = await against(
      ({ response, message }) => {
        response.writeHead(200, EVENTS)
        const note = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { text: 'x'.repeat(900) } })}\r\n\r\n`
        for (let i = 0; i < 1_000; i++) response.write(note)
        response.end(`: a comment\n\nevent: message\ndata: ${answerTo(message)}\n\n`)
      },
      { maxFrame: 2_000 },
    )
    expect((await opened.ask('ping')).result).toEqual({})
    expect(opened.messages).toHaveLength(1_001)
  })

  it('connectHttp() lets others work while a server floods it', async () => {
    const note = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: {} })}\n\n`.repeat(1_000)
    const { opened } = await against(({ response, message }) => {
      response.writeHead(200, EVENTS)
      let left = 200
      const more = (): void => {
        while (left-- > 0) if (!response.write(note)) return void response.once('drain', more)
        response.end(`data: ${answerTo(message)}\n\n`)
      }
      more()
    })
    let count = 0
    const { onmessage } = opened.wire
    Object.assign(opened.wire, {
      onmessage: (message: { readonly id?: number }) => {
        if (message.id === undefined) count++
        else onmessage?.(message)
      },
    })
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const begun = performance.now()
    await opened.ask('ping')
    delay.disable()
    expect(count).toBe(200_000)
    // Whoever takes what there is in one turn holds the loop all the time.
    expect(delay.percentile(99) / 1e6).toBeLessThan((performance.now() - begun) / 4)
  })
})

describe('connectHttp() to servers that stop in the middle', () => {
  const half = '{"jsonrpc":"2.0","id":1,"result":{"te'

  it.each<[string, (asked: Asked) => void, string]>([
    [
      'a body shorter than it was said to be',
      ({ response }) => response.writeHead(200, { ...JSON_TYPE, 'content-length': 100 }).write(half, () => response.destroy()),
      'unavailable',
    ],
    [
      'a body in pieces without the last',
      ({ response }) => response.writeHead(200, JSON_TYPE).write(half, () => response.destroy()),
      'unavailable',
    ],
    ['half of an object', ({ response }) => response.writeHead(200, JSON_TYPE).end(half), 'unavailable'],
    ['no body at all', ({ response }) => response.writeHead(200, JSON_TYPE).end(), 'unavailable'],
    ['no head', ({ response }) => response.destroy(), 'unavailable'],
    [
      'a stream cut off within an event',
      ({ response }) => response.writeHead(200, EVENTS).write(`id: 7\ndata: ${half}`, () => response.destroy()),
      'unavailable',
    ],
    ['a stream that ends within an event', ({ response }) => response.writeHead(200, EVENTS).end(`data: ${half}`), 'unavailable'],
    [
      'a stream that ends without an answer',
      ({ response }) => response.writeHead(200, EVENTS).end('id: 1\nretry: 5\ndata:\n\n'),
      'unavailable',
    ],
    ['an event that is no JSON', ({ response }) => response.writeHead(200, EVENTS).end(`data: ${half}\n\n`), 'unavailable'],
    ['an acceptance', ({ response }) => response.writeHead(202).end(), 'unavailable'],
    ['nothing', ({ response }) => response.writeHead(204).end(), 'unavailable'],
    [
      'the answer to another request',
      ({ response }) => response.writeHead(200, JSON_TYPE).end(answerTo({ id: 77 })),
      'unavailable',
    ],
    ['what is no message', ({ response }) => response.writeHead(200, JSON_TYPE).end('{"answer":42}'), 'parse-error'],
  ])('connectHttp() shows nothing of %s', async (_name, answer, code) => {
    const { opened } = await against(answer)
    const reason = await new Promise<Partial<ShelfError> | undefined>((resolve) => {
      opened.ask('ping', {}, { onRequestStreamEnd: resolve }).catch(resolve)
    })
    expect(reason).toMatchObject({ name: 'ShelfError', code })
    expect(opened.messages.filter(({ id }) => id === 1)).toEqual([])
    expect(opened.closes).toBe(0)
  })

  it('connectHttp() leaves a stream that goes on after the answer', async () => {
    const { opened, sockets } = await against(({ response, message }) => {
      response.writeHead(200, { ...EVENTS, connection: 'close' }).write(`data: ${answerTo(message)}\n\n`)
    })
    const ended: (Error | undefined)[] = []
    await opened.ask('ping', {}, { onRequestStreamEnd: (reason) => ended.push(reason) })
    expect(sockets.size).toBe(1)
    // After one that is broken off, Node's fetch opens a spare connection, for four seconds.
    await expect.poll(() => sockets.size, { timeout: 12_000 }).toBe(0)
    expect([ended, opened.errors, opened.closes]).toEqual([[undefined], [], 0])
  })

  it('connectHttp() leaves nothing behind at a signal that outlives its requests', async () => {
    const { opened } = await against(({ response, message }) => {
      if (Number(message.id) % 2 === 0) response.writeHead(200, JSON_TYPE).end(answerTo(message))
      else response.writeHead(200, EVENTS).end(`data: ${answerTo(message)}\n\n`)
    })
    const { signal } = new AbortController()
    for (let i = 0; i < 50; i++) await opened.ask('ping', {}, { requestSignal: signal })
    await expect.poll(() => getEventListeners(signal, 'abort').length).toBe(0)
  })

  it('connectHttp() waits so long for an answer to begin', async () => {
    expect(await outcome(() => undefined, { headMs: 100 })).toMatchObject({ code: 'timeout', details: { afterMs: 100 } })
  })

  it('connectHttp() tells of events that are no messages', async () => {
    const { opened } = await against(({ response, message }) => {
      response.writeHead(200, EVENTS).end(`data: {"half":\n\ndata: 42\n\ndata: ${answerTo(message)}\n\n`)
    })
    expect((await opened.ask('ping')).result).toEqual({})
    await opened.until(() => opened.errors.length > 0)
    expect(opened.errors[0]).toMatchObject({ code: 'parse-error' })
  })
})

describe('connectHttp() to servers that refuse', () => {
  const html = { 'content-type': 'text/html' }

  it.each<[number, Record<string, string>, string, object]>([
    [401, {}, 'no token', { code: 'refused', message: 'ORIGIN needs authorization: log in, or give it a token (no token)' }],
    [403, {}, '', { code: 'refused', message: 'ORIGIN forbids this to whoever sent it' }],
    [
      404,
      html,
      '<html>',
      { code: 'unsupported', message: 'ORIGIN answered 404 (an HTML page): is this the address of its MCP endpoint?' },
    ],
    [405, {}, '', { code: 'unsupported', message: 'ORIGIN answered 405: is this the address of its MCP endpoint?' }],
    [400, {}, 'bad\u001b[2J', { code: 'unsupported', message: 'ORIGIN answered 400 (bad\\u001b[2J)' }],
    [413, {}, '', { code: 'too-large', message: 'ORIGIN takes no request of 52 bytes' }],
    [
      429,
      { 'retry-after': '7' },
      '',
      { code: 'busy', details: { retryAfterMs: 7_000 }, message: 'ORIGIN takes no more requests for now: try again in 7 s' },
    ],
    [
      429,
      { 'retry-after': 'soon' },
      '',
      { code: 'busy', details: {}, message: 'ORIGIN takes no more requests for now: try again later' },
    ],
    [
      503,
      {},
      'down',
      { code: 'unavailable', message: 'ORIGIN answered 503 (down): it fails, or what stands before it; try again later' },
    ],
    [
      200,
      html,
      '<html>Log in</html>',
      {
        code: 'unavailable',
        message: 'ORIGIN answered text/html instead of JSON (an HTML page): is this the address of its MCP endpoint?',
      },
    ],
    [
      302,
      { location: 'https://user:pw@example.com/login?token=1' },
      '',
      {
        code: 'unavailable',
        message:
          'ORIGIN: Redirect to https://example.com/login not followed; use that URL as the endpoint if it is the intended server',
      },
    ],
  ])('connectHttp() says of %i with %j what to do', async (status, headers, body, wanted) => {
    const { opened, url } = await against(({ response }) => response.writeHead(status, headers).end(body))
    const error = await opened.ask('ping').catch((reason: unknown) => reason as ShelfError)
    expect({ ...(error as object), message: (error as ShelfError).message.replace(new URL(url).origin, 'ORIGIN') }).toMatchObject(
      wanted,
    )
    expect([opened.closes, opened.errors]).toEqual([0, []])
  })

  it.each<[string, number, unknown]>([
    ['with its id', 404, { id: 1, error: { code: -32601, message: 'no' } }],
    ['without an id', 400, { id: null, error: { code: -32020, message: 'no' } }],
    ['without an id', 404, { error: { code: -32601, message: 'no' } }],
    ['with its id', 403, { id: 1, error: { code: -32001, message: 'no', data: { why: 1 } } }],
    ['with its id', 500, { id: 1, error: { code: -32603, message: 'no' } }],
    ['in a list', 400, [{ jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'no' } }]],
  ])('connectHttp() delivers an error %s in the body of a %i as the answer', async (_name, status, body) => {
    const { opened } = await against(({ response }) => {
      const whole = Array.isArray(body) ? body : { jsonrpc: '2.0', ...(body as object) }
      response.writeHead(status, JSON_TYPE).end(JSON.stringify(whole))
    })
    expect(await opened.ask('ping')).toMatchObject({ id: 1, error: { message: 'no' } })
    expect(opened.errors).toEqual([])
  })

  it.each([
    [403, { id: null, error: { code: -32000, message: 'origin' } }, 'refused'],
    [502, { id: 99, error: { code: -32000, message: 'gateway' } }, 'unavailable'],
    [401, { error: 'invalid_token' }, 'refused'],
  ])('connectHttp() does not take another error in the body of a %i for the answer', async (status, body, code) => {
    const reason = await outcome(({ response }) => {
      response.writeHead(status, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', ...body }))
    })
    expect(reason).toMatchObject({ code })
  })

  it('connectHttp() follows a redirect within the origin that keeps the method', async () => {
    const { opened } = await against(({ request, response, message }) => {
      if (request.url === '/mcp') response.writeHead(307, { location: '/other' }).end()
      else response.writeHead(200, JSON_TYPE).end(answerTo(message))
    })
    expect((await opened.ask('ping')).result).toEqual({})
  })

  it('connectHttp() never repeats a secret', async () => {
    const options = { token: 'secret-token-123', headers: { 'x-api-key': 'secret-key-4567' } }
    for (const status of [400, 401, 403, 500]) {
      const reason = await outcome(
        ({ request, response }) => response.writeHead(status).end(JSON.stringify(request.headers)),
        options,
      )
      expect(reason?.message).toContain('***')
      expect(`${reason?.message} ${JSON.stringify(reason)}`).not.toMatch(/secret-(?:token|key)/)
    }
  })
})

describe('connectHttp() to what is no server', () => {
  it.each([
    ['http://127.0.0.1:9/mcp', /^http:\/\/127\.0\.0\.1:9: (?:nothing listens there|bad port)/],
    ['http://127.0.0.1:59999/mcp', 'http://127.0.0.1:59999: nothing listens there: is the server running?'],
    ['http://nowhere.invalid/mcp', /^http:\/\/nowhere\.invalid: (?:there is no such host|its name cannot be looked up)/],
  ])('connectHttp() says of %s why', async (url, message) => {
    const opened = await talk(connectHttp(url))
    const error = await opened.ask('ping').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringMatching(message) as string })
  })

  it('connectHttp() says of a server without TLS that it has none', async () => {
    const { url } = await endpointThat(({ response }) => response.end())
    const opened = await talk(connectHttp(url.replace('http:', 'https:')))
    await expect(opened.ask('ping')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('it does not speak TLS: try http:// instead of https://') as string,
    })
  })

  it.each([
    ['ftp://example.com', {}],
    ['not a url', {}],
    ['https://ada:pass@example.com/mcp', {}],
    ['https://example.com', { headers: { 'x y': 'secret' } }],
    ['https://example.com', { token: 'secret\nvalue' }],
  ])('connectHttp() refuses %s with %j', (url, options) => {
    const thrown = (): unknown => {
      try {
        return connectHttp(url, options)
      } catch (error) {
        return error
      }
    }
    expect(thrown()).toMatchObject({ code: 'invalid-option' })
    expect((thrown() as Error).message).not.toMatch(/secret|pass@/)
  })
})

describe('connectHttp() to a web site', () => {
  it.each([404, 405])(
    'connectHttp() looks for the deprecated transport once when `initialize` is answered with %i',
    async (status) => {
      const asked: string[] = []
      const { opened } = await against(({ request, response }) => {
        asked.push(String(request.method))
        response.writeHead(request.method === 'GET' ? 200 : status, { 'content-type': 'text/html' }).end('<html>')
      })
      await expect(opened.ask('initialize')).rejects.toMatchObject({ code: 'unsupported' })
      await expect(opened.ask('ping')).rejects.toMatchObject({ code: 'unsupported' })
      expect(asked).toEqual(['POST', 'GET', 'POST'])
      expect([opened.closes, opened.errors]).toEqual([0, []])
    },
  )

  it('connectHttp() does not look for it when `initialize` is answered with an error', async () => {
    const asked: string[] = []
    const { opened } = await against(({ request, response, message }) => {
      asked.push(String(request.method))
      const error = { code: -32602, message: 'no such version' }
      response.writeHead(400, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }))
    })
    expect((await opened.ask('initialize')).error).toMatchObject({ code: -32602 })
    expect(asked).toEqual(['POST'])
  })
})

describe('connectHttp() in a session', () => {
  /** Answers requests in a session; what becomes of the stream is told by `stream`. */
  const session =
    (stream: (asked: Asked) => void, rest?: (asked: Asked) => boolean) =>
    (asked: Asked): void => {
      const { request, response, message } = asked
      if (rest?.(asked)) return
      if (request.method === 'GET') stream(asked)
      else if (request.method === 'DELETE') response.writeHead(405).end()
      else if (message.id === undefined) response.writeHead(202).end()
      else response.writeHead(200, { ...JSON_TYPE, 'mcp-session-id': 's' }).end(answerTo(message))
    }

  it.each([405, 404, 500])('connectHttp() hears nothing where the stream is refused with %i', async (status) => {
    const { opened } = await against(session(({ response }) => response.writeHead(status).end()))
    await opened.initialize()
    expect(await opened.wire.hears?.()).toBe(false)
    expect([opened.closes, opened.errors]).toEqual([0, []])
  })

  it('connectHttp() hears nothing from a stream that ends as soon as it is open, and goes on', async () => {
    const { opened } = await against(session(({ response }) => response.writeHead(200, EVENTS).end()))
    await opened.initialize()
    expect(await opened.wire.hears?.()).toBe(false)
    expect((await opened.ask('ping')).result).toEqual({})
    expect([opened.closes, opened.errors]).toEqual([0, []])
  })

  it('connectHttp() opens the stream of a server that answers notifications with 200', async () => {
    const { opened } = await against(
      session(
        ({ response }) => response.writeHead(200, EVENTS).write(': hello\n\n'),
        ({ request, response, message }) =>
          request.method === 'POST' && message.id === undefined && Boolean(response.writeHead(200, JSON_TYPE).end('{}')),
      ),
    )
    await opened.initialize()
    expect(await opened.wire.hears?.()).toBe(true)
  })

  it.each<[string, (asked: Asked) => void]>([
    ['ends', ({ response }) => response.end()],
    ['is cut off', ({ response }) => response.destroy()],
  ])('connectHttp() closes the connection when the open stream %s', async (_name, cut) => {
    let stream: Asked | undefined
    const { opened } = await against(
      session((asked) => {
        asked.response.writeHead(200, EVENTS).write(': hello\n\n')
        stream = asked
      }),
    )
    await opened.initialize()
    expect(await opened.wire.hears?.()).toBe(true)
    cut(stream!)
    await opened.closed()
    expect(opened.wire.closeReason).toMatchObject({ code: 'unavailable' })
    await expect(opened.ask('ping')).rejects.toMatchObject({ code: 'unavailable' })
    await opened.wire.close()
    expect(opened.closes).toBe(1)
  })

  it('connectHttp() closes the connection when the server knows the session no more', async () => {
    let known = true
    const { opened } = await against(
      session(
        ({ response }) => response.writeHead(405).end(),
        ({ request, response }) =>
          !known &&
          request.method === 'POST' &&
          Boolean(
            response
              .writeHead(404, JSON_TYPE)
              .end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}'),
          ),
      ),
    )
    await opened.initialize()
    known = false
    await expect(opened.ask('ping')).rejects.toMatchObject({ code: 'unavailable', message: 'The session is over: connect again' })
    expect(await opened.closed()).toBe(true)
    expect(opened.wire.closeReason?.message).toBe('The session is over: connect again')
  })

  it('connectHttp() ends its session when it is closed, and leaves no socket', async () => {
    const asked: string[] = []
    const { opened, sockets } = await against(
      session(
        ({ response }) => response.writeHead(200, EVENTS).write(': hello\n\n'),
        ({ request }) => {
          asked.push(`${request.method} ${String(request.headers['mcp-session-id'])}`)
          return request.method === 'DELETE'
        },
      ),
    )
    await opened.initialize()
    expect(await opened.wire.hears?.()).toBe(true)
    await opened.wire.close()
    expect(asked.at(-1)).toBe('DELETE s')
    expect(opened.closes).toBe(1)
    await expect.poll(() => sockets.size, { timeout: 12_000 }).toBe(0)
  })

  it('connectHttp() rejects what is under way when it is closed', async () => {
    const { opened } = await against(
      session(
        ({ response }) => response.writeHead(405).end(),
        ({ message }) => message.method === 'ping',
      ),
    )
    await opened.initialize()
    const waiting = opened.ask('ping')
    setTimeout(() => void opened.wire.close(), 50)
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('connectHttp() does not keep our process alive once it is closed', async () => {
    const { run } = await import('../e2e/command-line.ts')
    const { url } = await endpointThat(session(({ response }) => response.writeHead(200, EVENTS).write(': hello\n\n')))
    const owner = run([
      '--input-type=module',
      '-e',
      `import { connectHttp } from 'shelfmark/transports/http'
       const wire = connectHttp(${JSON.stringify(url)})
       await wire.start()
       await wire.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } } })
       await wire.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
       if (!await wire.hears()) throw new Error('does not hear')
       await wire.close()
       process.stdout.write(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').join())
       const closed = performance.now()
       process.on('exit', () => process.stdout.write(performance.now() - closed < 3_000 ? 'soon' : 'late'))`,
    ])
    expect(await owner.ended).toMatchObject({ code: 0, stderr: '', stdout: 'soon' })
  })
})
