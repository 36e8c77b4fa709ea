import { describe, expect, it } from 'vitest'
import { runChecks } from '../../src/cli/check/run-checks.ts'
import { A, found, HINTS, LEGACY, MODERN, serverOf, text } from './checked.ts'

describe('runChecks()', () => {
  it('finds nothing wrong with a clean server of the modern era', async () => {
    expect(await runChecks(serverOf(MODERN).connect)).toEqual({
      server: { name: 'clean', version: '1', revision: '2026-07-28', era: 'modern' },
      findings: [],
    })
  })

  it('finds nothing wrong with a clean server of the legacy era, which has no cache hints', async () => {
    expect(await runChecks(serverOf(LEGACY).connect)).toEqual({
      server: { name: 'clean', version: '1', revision: '2025-11-25', era: 'legacy' },
      findings: [],
    })
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('judges a server of %s by that revision', async (protocolVersion) => {
    const server = serverOf({
      ...LEGACY,
      initialize: () => ({ protocolVersion, capabilities: { resources: {} }, serverInfo: { name: 'old', version: '1' } }),
    })
    expect(await runChecks(server.connect)).toEqual({
      server: { name: 'old', version: '1', revision: protocolVersion, era: 'legacy' },
      findings: [],
    })
  })

  it('asks a server without resources only whether that is so', async () => {
    const server = serverOf({
      initialize: () => ({ protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'none', version: '1' } }),
      ping: () => ({}),
    })
    expect((await runChecks(server.connect)).findings).toEqual([])
    expect(server.asked.map(({ method }) => method)).toEqual([
      'server/discover',
      'initialize',
      'ping',
      'dev.shelfmark.check/no-such-method',
      'resources/list',
      'resources/templates/list',
    ])
  })

  it('calls no tool, and ends what it subscribed to', async () => {
    const capabilities = { resources: { subscribe: true }, tools: {}, prompts: {} }
    const server = serverOf({
      ...LEGACY,
      initialize: () => ({ protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'all', version: '1' } }),
      'tools/list': () => ({ tools: [{ name: 'wipe', inputSchema: { type: 'object' } }] }),
      'prompts/list': () => ({ prompts: [] }),
    })
    expect((await runChecks(server.connect)).findings).toEqual([])
    const asked = server.asked.map(({ method }) => method)
    expect(asked.filter((method) => method.startsWith('tools/') || method.startsWith('prompts/'))).toEqual([
      'tools/list',
      'prompts/list',
    ])
    expect(asked.filter((method) => method.endsWith('subscribe'))).toEqual(['resources/subscribe', 'resources/unsubscribe'])
  })

  it('cancels the stream it listened to', async () => {
    const server = serverOf(MODERN)
    await runChecks(server.connect)
    const { id } = server.asked.find(({ method }) => method === 'subscriptions/listen')!
    expect(
      server.told.filter(({ method }) => method === 'notifications/cancelled').map(({ params }) => params['requestId']),
    ).toEqual([id])
  })

  it('reads so many of the listed resources, spread over the list, and says how many it left', async () => {
    const resources = Array.from({ length: 100 }, (_, index) => ({ uri: `note:${index}`, name: `${index}` }))
    const server = serverOf({
      ...LEGACY,
      'resources/list': () => ({ resources }),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      'resources/read': ({ params: { uri } }) =>
        resources.some((one) => one.uri === uri) ? { ...text(uri) } : { error: { code: -32_002, message: 'Not found' } },
    })
    const { findings } = await runChecks(server.connect, { sample: 4 })
    const read = server.asked.filter(({ method }) => method === 'resources/read').map(({ params }) => params['uri'])
    expect(read.slice(2)).toEqual(['note:0', 'note:25', 'note:50', 'note:75'])
    expect(findings.map(({ severity, rule, message }) => [severity, rule, message])).toEqual([
      ['info', 'incomplete', 'Not looked at: 96 of 100 listed resources were not read'],
    ])
  })

  it('says what it did not look at when the time is over', async () => {
    const server = serverOf({ ...LEGACY, 'resources/list': () => new Promise(() => undefined) })
    const { findings } = await runChecks(server.connect, { deadlineMs: 300 })
    expect(findings.map(({ severity, rule, message }) => [severity, rule, message])).toEqual([
      ['info', 'incomplete', 'Not looked at: what is declared, since the time was over'],
      ['info', 'incomplete', 'Not looked at: absent resources, since the time was over'],
      ['info', 'incomplete', 'Not looked at: subscriptions, since the time was over'],
      ['info', 'incomplete', 'Not looked at: HTTP, since the time was over'],
      ['info', 'incomplete', 'Not looked at: templates, since the time was over'],
      ['info', 'incomplete', 'Not looked at: listed resources, since the time was over'],
    ])
  })

  it('looks at no more than 64 pages', async () => {
    const found64 = await found(LEGACY, {
      'resources/list': ({ params: { cursor = '0' } }) =>
        cursor === 'dev.shelfmark.check-no-such-cursor'
          ? { error: { code: -32_602, message: 'Invalid cursor' } }
          : { resources: [{ uri: `note:${String(cursor)}`, name: 'n' }], nextCursor: `${Number(cursor) + 1}` },
      'resources/read': ({ params: { uri } }) =>
        /^note:\d+$/.test(String(uri)) ? { ...text(uri) } : { error: { code: -32_002, message: 'Not found' } },
      'resources/templates/list': () => ({ resourceTemplates: [] }),
    })
    expect(found64).toEqual([
      'info incomplete (): Not looked at: resources/list has more than 64 pages',
      'info incomplete (): Not looked at: 14 of 64 listed resources were not read',
    ])
  })

  it('rejects when no connection can be made', async () => {
    const connect = () => Promise.reject(new Error('no such program'))
    await expect(runChecks(connect)).rejects.toThrow('no such program')
  })

  it('says what it did not look at when the server does not come back', { timeout: 30_000 }, async () => {
    let died = false
    const server = serverOf({
      ...LEGACY,
      initialize: (asked, self) => (died ? undefined : LEGACY['initialize']!(asked, self)),
      'resources/templates/list': (_, self) => {
        died = true
        self.die()
        return undefined
      },
    })
    const { findings } = await runChecks(server.connect, { deadlineMs: 2_000 })
    expect(findings.map(({ severity, rule, subject }) => [severity, rule, subject])[0]).toEqual([
      'warning',
      'no-answer',
      'resources/templates/list',
    ])
    expect(new Set(findings.slice(1).map(({ rule }) => rule))).toEqual(new Set(['incomplete']))
    expect(findings.at(-1)?.message).toBe('Not looked at: listed resources, since the time was over')
  })

  it('counts what is found of one rule more than ten times', async () => {
    const resources = Array.from({ length: 15 }, (_, index) => ({ uri: `note:${index}` }))
    const findings = await found(MODERN, { 'resources/list': () => ({ ...HINTS, resources: [A, ...resources] }) }, { sample: 1 })
    expect(findings.length).toBe(12)
    expect(findings[9]).toBe('error item-without-name (note:9): name is missing')
    expect(findings[10]).toBe('error item-without-name (): and 5 more like these')
  })
})
