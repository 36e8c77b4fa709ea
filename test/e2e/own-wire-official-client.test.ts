import { Client } from '@modelcontextprotocol/client'
import type { Transport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ClientTransport } from '../../src/client/index.ts'
import { connectHttp } from '../../src/transports/http/index.ts'
import { connectStdio } from '../../src/transports/stdio/index.ts'
import { beside, endpoint, run } from './command-line.ts'

const FIXTURE = beside('fixture-server.mjs')

async function clientOn(wire: ClientTransport, mode: 'legacy' | { pin: string }): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
  await client.connect(wire as Transport)
  onTestFinished(() => client.close())
  return client
}

describe('the official client', () => {
  it.each(['legacy', { pin: '2026-07-28' }] as const)('the official client works over connectStdio(), %j', async (mode) => {
    const client = await clientOn(connectStdio({ command: process.execPath, args: [FIXTURE] }), mode)
    expect((await client.readResource({ uri: 'note:a' })).contents).toMatchObject([{ text: 'a' }])
    await expect(client.readResource({ uri: 'no:such' })).rejects.toThrow('not found')
  })

  it.each(['legacy', { pin: '2026-07-28' }] as const)('the official client works over connectHttp(), %j', async (mode) => {
    const client = await clientOn(connectHttp(await endpoint(run([FIXTURE, '--http']))), mode)
    expect((await client.readResource({ uri: 'note:a' })).contents).toMatchObject([{ text: 'a' }])
    await expect(client.readResource({ uri: 'no:such' })).rejects.toThrow('not found')
  })
})
