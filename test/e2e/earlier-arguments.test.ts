import { describe, expect, it } from 'vitest'
import { beside } from './command-line.ts'
import { OFFICIAL_CLIENTS } from './official-clients.ts'
import { served } from './served.ts'

const { transports } = served([beside('fixture-server.mjs')], ['--http'])

describe.each(transports)('completion/complete on %s', (_transport, target) => {
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
