import { describe, expect, it } from 'vitest'
import server from '../../examples/fetch/server.ts'
import { modern } from './http.ts'

const room = { ask: (init: RequestInit) => server.fetch(new Request(`http://${server.hostname}:${server.port}/mcp`, init)) }

describe('the server of docs/http.md', () => {
  it('answers a Request with a Response', async () => {
    const list = await (await modern(room, 'resources/list')).json()
    expect(list).toMatchObject({
      result: { resources: [{ uri: 'room://hours' }, { uri: 'room://seats/1' }, { uri: 'room://seats/2' }] },
    })
    const read = await (await modern(room, 'resources/read', { uri: 'room://seats/2' })).json()
    expect(read).toMatchObject({ result: { contents: [{ mimeType: 'application/json', text: '{"row":2,"free":0}' }] } })
  })

  it('is at its path, for this machine', async () => {
    expect((await server.fetch(new Request('http://localhost:7467/', { method: 'POST' }))).status).toBe(404)
    expect((await server.fetch(new Request('http://reading-room.example/mcp', { method: 'POST' }))).status).toBe(403)
  })
})
