import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { LOCAL } from '../../src/library/index.ts'
import { createSealer } from '../../src/runtime/index.ts'
import { openEngine } from '../../src/server/index.ts'
import { createFakeClock } from '../../src/testing/index.ts'
import { connect, Connection, envelope } from './engine.ts'
import { RecordingSink, settle } from './recording-sink.ts'

const FORM = {
  method: 'elicitation/create',
  params: { message: 'Which room?', requestedSchema: { type: 'object', properties: {} } },
}

/** A resource that asks twice: for a room, then for a floor. */
const library = () =>
  createLibrary({ name: 'acme' }).template('plan://{house}', ({ house }, { answers }) => {
    if (answers?.state === 'floor') return `${house}: ${JSON.stringify(answers.responses['floor'])}`
    if (answers !== undefined && 'room' in answers.responses)
      return { kind: 'input-required', requests: { floor: FORM }, state: 'floor' }
    return { kind: 'input-required', requests: { room: FORM }, state: 'room' }
  })

const read = (connection: Connection, params: Record<string, unknown>, capabilities: object = { elicitation: {} }) =>
  connection.modern('resources/read', { uri: 'plan://home', ...params }, capabilities)

describe('an input-required read', () => {
  it('asks, takes the answers, asks again, and is done; nothing on the way may be cached', async () => {
    const connection = await connect(library())
    const first = (await read(connection, {}))?.result
    expect(first).toEqual({
      resultType: 'input_required',
      inputRequests: { room: FORM },
      requestState: expect.any(String) as string,
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'acme', version: '0.0.0' } },
    })
    const second = (
      await read(connection, { inputResponses: { room: { action: 'accept' } }, requestState: first?.['requestState'] })
    )?.result
    expect(second).toMatchObject({ resultType: 'input_required', inputRequests: { floor: FORM } })
    const last = (await read(connection, { inputResponses: { floor: 2 }, requestState: second?.['requestState'] }))?.result
    expect(last).toMatchObject({ resultType: 'complete', contents: [{ uri: 'plan://home', text: 'home: 2' }] })
  })

  it('refuses state that was altered, of another URI, of another caller, or too old', async () => {
    const clock = createFakeClock()
    const engine = await openEngine(library(), { sealer: createSealer(), clock, limits: { stateTtlMs: 1000 } })
    const connection = new Connection(engine)
    const state = String((await read(connection, {}))?.result?.['requestState'])
    const answered = { inputResponses: { room: {} } }
    const refused = { code: -32602 }
    for (let i = 0; i < state.length; i += 7) {
      const altered = state.slice(0, i) + (state[i] === 'A' ? 'B' : 'A') + state.slice(i + 1)
      expect((await read(connection, { ...answered, requestState: altered }))?.error).toMatchObject(refused)
    }
    expect((await read(connection, { ...answered, uri: 'plan://other', requestState: state }))?.error).toMatchObject(refused)
    expect((await read(connection, { inputResponses: 'none' }))?.error).toMatchObject(refused)
    const sink = new RecordingSink()
    const other = engine.openPeer({ principal: { ...LOCAL, id: 'other' } })
    const params = { _meta: envelope({}, { elicitation: {} }), uri: 'plan://home', ...answered, requestState: state }
    other.receive({ jsonrpc: '2.0', id: 1, method: 'resources/read', params }, sink)
    await settle()
    expect(sink.responses[0]?.error).toMatchObject(refused)
    expect((await read(connection, { ...answered, requestState: state }))?.result).toBeDefined()
    clock.advance(1001)
    expect((await read(connection, { ...answered, requestState: state }))?.error).toMatchObject(refused)
  })

  it('is -32021 for a client that did not declare what is asked', async () => {
    const connection = await connect(library())
    expect((await read(connection, {}, {}))?.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: {} } },
    })
  })

  it('is refused with a clear error in the legacy era', async () => {
    const connection = await connect(library())
    await connection.initialize('2025-11-25', { elicitation: {} })
    const error = (await connection.legacy('resources/read', { uri: 'plan://home' }))?.error
    expect(error?.message).toContain('2026-07-28')
  })
})
