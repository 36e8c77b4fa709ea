import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { modern } from '../e2e/command-line.ts'
import { connectV1, connectV2 } from '../e2e/official-clients.ts'
import type { Target } from '../e2e/official-clients.ts'
import { ask, events, runHttp, WIRE_SERVER } from './wire.ts'

/** A modern read of a client that can be asked, as a retry with these answers. */
function readOf(uri: string, retry: { readonly requestState?: unknown; readonly value?: string } = {}): object {
  const { value, ...rest } = retry
  const answer = { action: 'accept', content: { value } }
  const params = { uri, ...rest, ...(value !== undefined && { inputResponses: { room: answer, floor: answer } }) }
  const message = modern(1, 'resources/read', params) as { params: { _meta: Record<string, unknown> } }
  message.params._meta['io.modelcontextprotocol/clientCapabilities'] = { elicitation: { form: {} } }
  return message
}

async function begin(url: string, uri = 'plan:a'): Promise<string> {
  return String((await ask(url, readOf(uri))).result?.['requestState'])
}

const STALE = {
  status: 200,
  error: {
    code: -32602,
    message: 'params.requestState was not issued for this request, or is too old: start again without it',
  },
}

describe('a read that asks twice', () => {
  it.each(['stdio', 'HTTP'])('is one read for the official modern client over %s', async (transport) => {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } }, capabilities: { elicitation: { form: {} } } },
    )
    const asked: string[] = []
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message)
      return { action: 'accept', content: { value: `a ${params.message}` } }
    })
    await client.connect(
      transport === 'HTTP'
        ? new StreamableHTTPClientTransport(new URL((await runHttp()).url))
        : new StdioClientTransport({ command: process.execPath, args: [WIRE_SERVER], stderr: 'ignore' }),
    )
    onTestFinished(() => client.close())
    for (let turn = 0; turn < 2; turn++) {
      expect(await client.readResource({ uri: 'plan:home' })).toMatchObject({
        contents: [{ uri: 'plan:home', text: 'home, a room, a floor' }],
      })
    }
    // Nothing on the way was taken from a cache.
    expect(asked).toEqual(['room', 'floor', 'room', 'floor'])
    expect(await client.readResource({ uri: 'note:a' })).toMatchObject({ contents: [{ text: 'a' }] })
  })

  it('refuses state of which any character was changed, and state of another URI, method or time', async () => {
    const { server, url } = await runHttp({ limits: { stateTtlMs: 1_000 } })
    const requestState = await begin(url)
    const second = await ask(url, readOf('plan:a', { requestState, value: 'x' }))
    expect(second).toMatchObject({ status: 200, result: { resultType: 'input_required' } })
    for (let at = 0; at < requestState.length; at += 5) {
      const changed = requestState.slice(0, at) + (requestState[at] === 'A' ? 'B' : 'A') + requestState.slice(at + 1)
      expect(await ask(url, readOf('plan:a', { requestState: changed, value: 'x' }))).toMatchObject(STALE)
    }
    for (const changed of ['', requestState.slice(1), `${requestState}A`, requestState.repeat(2), 7, null, {}])
      expect(await ask(url, readOf('plan:a', { requestState: changed, value: 'x' }))).toMatchObject(STALE)
    expect(await ask(url, readOf('plan:b', { requestState, value: 'x' }))).toMatchObject(STALE)
    expect(await ask(url, readOf('PLAN:a', { requestState, value: 'x' }))).toMatchObject(STALE)
    // The state of the second question is not that of the first.
    const last = await ask(url, readOf('plan:a', { requestState: second.result?.['requestState'], value: 'y' }))
    expect(last.result).toMatchObject({ contents: [{ text: 'a, x, y' }] })
    await expect.poll(() => ask(url, readOf('plan:a', { requestState, value: 'x' })), { timeout: 3_000 }).toMatchObject(STALE)
    expect([server.stderr, events(server)]).toEqual(['', []])
  })

  it('goes on at another server with the same key, and at none with another', async () => {
    const before = process.env['SHELFMARK_KEY']
    const open = async (key: string) => {
      process.env['SHELFMARK_KEY'] = key
      const { url } = await runHttp()
      return url
    }
    const [one, two, other] = [await open('k'.repeat(32)), await open('k'.repeat(32)), await open('o'.repeat(32))]
    if (before === undefined) delete process.env['SHELFMARK_KEY']
    else process.env['SHELFMARK_KEY'] = before
    const requestState = await begin(one)
    expect(await ask(two, readOf('plan:a', { requestState, value: 'x' }))).toMatchObject({
      result: { resultType: 'input_required' },
    })
    expect(await ask(other, readOf('plan:a', { requestState, value: 'x' }))).toMatchObject(STALE)
  })

  it('is -32021 with status 400 for a client that cannot be asked', async () => {
    const { url } = await runHttp()
    expect(await ask(url, modern(1, 'resources/read', { uri: 'plan:a' }))).toMatchObject({
      status: 400,
      error: { code: -32021, data: { requiredCapabilities: { elicitation: {} } } },
    })
  })

  it.each<
    [string, (target: Target) => Promise<{ readResource(params: { uri: string }): Promise<unknown>; close(): Promise<void> }>]
  >([
    ['client 2.4.0, legacy', (target) => connectV2(target, 'legacy')],
    ['sdk 1.32.2', (target) => connectV1(target)],
  ])('is refused in words for the official %s, which is served on', async (_name, connect) => {
    const { url } = await runHttp()
    const client = await connect({ url })
    onTestFinished(() => client.close())
    await expect(client.readResource({ uri: 'plan:a' })).rejects.toThrow(
      'This needs more input, which revision 2025-11-25 cannot carry: use a client of 2026-07-28 or later',
    )
    expect(await client.readResource({ uri: 'note:a' })).toMatchObject({ contents: [{ text: 'a' }] })
  })
})
