import { describe, expect, it } from 'vitest'
import { connectStdio } from '../../src/transports/stdio/index.ts'
import { MODERN_META, talk } from '../talk.ts'
import { beside, CLI, folderOfTest } from './command-line.ts'

const node = (...args: readonly string[]) => connectStdio({ command: process.execPath, args })

describe('connectStdio()', () => {
  it.each([
    ['our own server, legacy', [beside('fixture-server.mjs')], '2025-06-18'],
    ['the official server, older', [beside('official-server.mjs'), 'v1', 'stdio'], '2025-11-25'],
    ['the official server, newer, legacy', [beside('official-server.mjs'), 'v2', 'stdio'], '2025-11-25'],
  ])('connectStdio() talks to %s', async (_name, args, revision) => {
    const opened = await talk(node(...args))
    expect(await opened.initialize(revision)).toMatchObject({ protocolVersion: revision })
    expect((await opened.ask('resources/read', { uri: 'note:a' })).result).toMatchObject({ contents: [{ text: 'a' }] })
    const many = await Promise.all(Array.from({ length: 40 }, () => opened.ask('resources/read', { uri: 'note:a' })))
    expect(many.map(({ result }) => (result?.['contents'] as [{ text: string }])[0].text)).toEqual(Array(40).fill('a'))
    await opened.wire.close()
    expect([opened.closes, opened.wire.closeReason, opened.errors]).toEqual([1, undefined, []])
  })

  it.each([
    ['our own server', [beside('fixture-server.mjs')]],
    ['the official server', [beside('official-server.mjs'), 'v2', 'stdio']],
  ])('connectStdio() talks to %s, modern', async (_name, args) => {
    const opened = await talk(node(...args))
    expect((await opened.ask('server/discover', { _meta: MODERN_META })).result).toMatchObject({ resultType: 'complete' })
    const { result } = await opened.ask('resources/read', { uri: 'note:a', _meta: MODERN_META })
    expect(result).toMatchObject({ contents: [{ text: 'a' }] })
    await opened.wire.close()
    expect(opened.closes).toBe(1)
  })

  it.each([
    ['our own server', [beside('fixture-server.mjs')], 'text:3000000'],
    ['the official server, older', [beside('official-server.mjs'), 'v1', 'stdio'], 'note:big'],
    ['the official server, newer', [beside('official-server.mjs'), 'v2', 'stdio'], 'note:big'],
  ])('connectStdio() says of an answer of %s that it is too large', async (_name, args, uri) => {
    const opened = await talk(connectStdio({ command: process.execPath, args, maxFrame: 1_000_000 }))
    await opened.initialize()
    const { error } = await opened.ask('resources/read', { uri })
    expect(error).toMatchObject({ code: 10413, data: { limit: 1_000_000 } })
    expect((await opened.ask('resources/read', { uri: 'note:a' })).result).toMatchObject({ contents: [{ text: 'a' }] })
  })

  it('connectStdio() talks to the command line, and shows what that says on standard error', async () => {
    let said = ''
    const wire = connectStdio({
      command: process.execPath,
      args: [CLI, 'serve', 'nowhere'],
      cwd: folderOfTest(),
      onStderr: (text) => (said += text),
    })
    const opened = await talk(wire)
    await opened.closed()
    expect(wire.closeReason?.message).toMatch(
      /^server exited with code 1\. The end of its standard error:\n {2}shelfmark: .*nowhere/,
    )
    expect(said).toBe(wire.stderr)
  })
})
