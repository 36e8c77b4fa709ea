import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beside, endpoint, Program } from './command-line.ts'
import { OFFICIAL_CLIENTS } from './official-clients.ts'
import type { Target } from './official-clients.ts'

const FIXTURE = beside('fixture-server.mjs')
let server: Program
let url: string

beforeAll(async () => {
  server = new Program([FIXTURE, '--http'])
  url = await endpoint(server)
})

afterAll(() => server.stop())

describe.each([
  ['stdio', (): Target => ({ args: [FIXTURE] })],
  ['HTTP', (): Target => ({ url })],
])('completion/complete on %s', (_transport, target) => {
  it.each(OFFICIAL_CLIENTS)('takes earlier arguments from %s', async (_name, _revision, connect) => {
    const client = await connect(target())
    try {
      const template = 'repo://{owner}/{name}'
      expect(await client.complete(template, 'owner', '')).toEqual({ values: ['o1', 'o2'], total: 2, hasMore: false })
      expect((await client.complete(template, 'name', '')).values).toEqual(['alpha', 'apple', 'beta'])
      expect((await client.complete(template, 'name', '', { owner: 'o1' })).values).toEqual(['alpha', 'apple'])
      expect((await client.complete(template, 'name', 'AP', { owner: 'o1' })).values).toEqual(['apple'])
      expect((await client.complete(template, 'name', '', { owner: 'o2' })).values).toEqual(['beta'])
      expect((await client.complete(template, 'name', '', { owner: 'nobody' })).values).toEqual([])
    } finally {
      await client.close()
    }
  })
})
