import { describe, expect, it, onTestFinished } from 'vitest'
import { openClient } from '../../src/client/index.ts'
import type { ClientOptions, ClientTransport } from '../../src/client/index.ts'
import { ShelfError } from '../../src/index.ts'
import { legacyServer, MODERN_FACTS, modernServer, scripted } from './scripted-server.ts'
import type { ScriptedServer } from './scripted-server.ts'

const REFUSED = { error: { code: -32_022, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'] } } }

function open(server: ScriptedServer, options: ClientOptions = {}) {
  const client = openClient(server.connect, options)
  onTestFinished(() => client.close())
  return client
}

describe('negotiate()', () => {
  it('negotiate() asks once more in a revision that the server says it speaks, even if it was just refused', async () => {
    const server = scripted(() => (server.asked.length === 1 ? REFUSED : MODERN_FACTS))
    expect((await open(server).server()).revision).toBe('2026-07-28')
    expect(server.asked.map(({ method }) => method)).toEqual(['server/discover', 'server/discover'])
  })

  it('negotiate() asks a server that refuses every revision no third time', async () => {
    const server = scripted(() => REFUSED)
    await expect(open(server).server()).rejects.toMatchObject({ code: 'server-error', details: { rpcCode: -32_022 } })
    expect(server.asked.map(({ method }) => method)).toEqual(['server/discover', 'server/discover'])
  })

  it('negotiate() tells a legacy server of no question that it could ask', async () => {
    const capabilities = { elicitation: {}, roots: {}, sampling: {}, experimental: { deer: {} } }
    const old = legacyServer(() => ({}))
    await open(old, { capabilities, era: 'legacy' }).server()
    expect(old.asked[0]!.params['capabilities']).toEqual({ experimental: { deer: {} } })
    const modern = modernServer(() => ({}))
    await open(modern, { capabilities }).server()
    expect(modern.asked[0]!.params['_meta']).toMatchObject({ 'io.modelcontextprotocol/clientCapabilities': capabilities })
  })

  it('negotiate() asks nothing else of a server that a login to has failed', async () => {
    const sent: unknown[] = []
    const transport: ClientTransport = {
      hasPerRequestStream: true,
      start: async () => undefined,
      async send(message) {
        sent.push((message as { method: string }).method)
        throw new ShelfError('refused', 'The login failed: access was denied', {})
      },
      close: async () => undefined,
    }
    for (const era of ['modern', 'legacy'] as const) {
      const client = openClient(() => transport, { era })
      onTestFinished(() => client.close())
      await expect(client.server()).rejects.toMatchObject({ code: 'refused' })
    }
    expect(sent).toEqual(['server/discover', 'initialize'])
  })
})
