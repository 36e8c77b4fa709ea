import { describe, expect, it } from 'vitest'
import { connectHttp } from '../../transports/http/index.ts'
import { Wire } from './wire.ts'

describe('Wire', () => {
  it('Wire knows what kind of connection it was when that is gone', async () => {
    const wire = new Wire()
    expect(wire.perRequest).toBe(false)
    const transport = await wire.over(async () => connectHttp('http://127.0.0.1:9/mcp'))()
    expect(wire.perRequest).toBe(true)
    await transport.start()
    await transport.close()
    expect(wire.perRequest).toBe(true)
  })
})
