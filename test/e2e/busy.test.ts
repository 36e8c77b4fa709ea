import { describe, expect, it, onTestFinished } from 'vitest'
import { beside, endpoint, run } from './command-line.ts'
import type { Target } from './official-clients.ts'
import { connectV1, connectV2 } from './official-clients.ts'

const SERVER = beside('busy-server.mjs')
const connects = {
  'the newer official client, modern': (target: Target) => connectV2(target, { pin: '2026-07-28' }),
  'the newer official client, legacy': (target: Target) => connectV2(target, 'legacy'),
  'the older official client': (target: Target) => connectV1(target),
}
const targets = {
  stdio: async (): Promise<Target> => ({ args: [SERVER] }),
  HTTP: async (): Promise<Target> => ({ url: await endpoint(run([SERVER, '--http'])) }),
}

describe.each(Object.entries(connects))('%s', (_name, connect) => {
  it.each(Object.entries(targets))('sees on %s that a server is busy, and for how long', async (_transport, target) => {
    const client = await connect(await target())
    onTestFinished(() => client.close())
    // Which of two requests comes first over HTTP, nobody knows.
    const both = [client.readResource({ uri: 'slow:1' }), client.readResource({ uri: 'slow:1' })]
    await expect(Promise.race(both)).rejects.toMatchObject({ code: 10_429, data: { retryAfterMs: 1000 } })
    expect(await client.readResource({ uri: 'go:' })).toMatchObject({ contents: [{ text: 'gone' }] })
    expect(await Promise.any(both)).toMatchObject({ contents: [{ text: 'slow' }] })
    // The slot is free once the answer has left.
    await expect
      .poll(() => client.readResource({ uri: 'slow:1' }).catch(() => undefined))
      .toMatchObject({ contents: [{ text: 'slow' }] })
    expect(await client.readResource({ uri: 'few:1' })).toMatchObject({ contents: [{ text: 'few' }] })
    const error: unknown = await client.readResource({ uri: 'few:1' }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 10_429, message: expect.stringContaining('Too many requests; try again in') as string })
    const { data } = error as { readonly data: { readonly retryAfterMs: number } }
    expect(data.retryAfterMs).toBeGreaterThan(3_500_000)
    expect(data.retryAfterMs).toBeLessThanOrEqual(3_600_000)
  })
})
