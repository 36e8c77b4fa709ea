import assert from 'node:assert/strict'
import { openClient } from '../../../src/client/index.ts'
import { connectHttp } from '../../../src/transports/http/index.ts'
import type { Run, Scenarios } from './run.ts'
import { CAPABILITIES, INFO, Session } from './session.ts'

const openAs = ({ url, era }: Run) =>
  openClient(() => connectHttp(url), { era, info: INFO, capabilities: CAPABILITIES, cache: false })

const sessionOf = (run: Run) => new Session(run, () => connectHttp(run.url))

/** Scenarios without a login. */
export const plain: Scenarios = {
  async initialize(run) {
    await using client = openAs(run)
    assert.equal((await client.server()).implementation?.name, 'test-server')
  },

  async 'request-metadata'(run) {
    await using client = openAs(run)
    assert.equal((await client.server()).revision, '2026-07-28')
    await using session = sessionOf(run)
    assert.deepEqual(await session.tools(), [])
  },

  async tools_call(run) {
    await using session = sessionOf(run)
    assert.deepEqual(
      (await session.tools()).map(({ name }) => name),
      ['add_numbers'],
    )
    const { content } = await session.call('add_numbers', { a: 5, b: 3 })
    assert.deepEqual(content, [{ type: 'text', text: 'The sum of 5 and 3 is 8' }])
  },

  async 'elicitation-sep1034-client-defaults'(run) {
    await using session = sessionOf(run)
    await session.call('test_client_elicitation_defaults')
  },

  async 'sse-retry'(run) {
    await using session = sessionOf(run)
    await session.call('test_reconnection')
  },

  async 'sep-2322-client-request-state'(run) {
    await using session = sessionOf(run)
    const confirm = { confirm: { action: 'accept', content: { confirmed: true } } }
    await session.call('test_mrtr_echo_state', {}, async () => {
      await session.call('test_mrtr_unrelated')
      return confirm
    })
    await session.call('test_mrtr_no_state', {}, () => confirm)
    await session.call('test_mrtr_no_result_type', {}, () => confirm)
  },

  async 'http-standard-headers'(run) {
    await using client = openAs(run)
    const uris: string[] = []
    for await (const { uri } of client.list()) uris.push(uri)
    assert.deepEqual(uris, ['file:///path/to/file%20name.txt', 'https://example.com/resource?id=123'])
    for (const uri of uris) await client.read(uri)
    await using session = sessionOf(run)
    for (const { name } of await session.tools()) await session.call(String(name))
    await session.request('prompts/list')
    await session.request('prompts/get', { name: 'test_prompt' })
  },

  async 'http-custom-headers'(run) {
    await using session = sessionOf(run)
    await session.tools()
    const calls = run.context['toolCalls'] as readonly { readonly name: string; readonly arguments: object }[]
    for (const call of calls) await session.call(call.name, { ...call.arguments })
  },

  async 'http-invalid-tool-headers'(run) {
    await using session = sessionOf(run)
    for (const { name } of await session.tools()) await session.call(String(name))
  },

  async 'json-schema-ref-no-deref'(run) {
    await using session = sessionOf(run)
    assert.equal((await session.tools()).length, 1)
  },

  async 'json-schema-2020-12-preservation'(run) {
    await using session = sessionOf(run)
    const [tool] = await session.tools()
    await session.call('json_schema_echo', { schema: tool?.['inputSchema'] })
  },
}
