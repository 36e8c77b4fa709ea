import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLI, endpoint, folderOfTest, modern, run } from './command-line.ts'
import { connectV1, connectV2 } from './official-clients.ts'

function served() {
  const folder = folderOfTest()
  const docs = join(folder, 'docs')
  mkdirSync(docs)
  writeFileSync(join(docs, 'a.md'), 'secret contents')
  const log = join(folder, 'audit.jsonl')
  const records = (): readonly Record<string, unknown>[] =>
    readFileSync(log, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  /** Records without what differs from run to run. */
  const told = () => records().map(({ time: _time, ms: _ms, ...rest }) => rest)
  return { folder, docs, log, records, told, args: [CLI, 'serve', `docs=${docs}`, '--audit', log] }
}

const LOCAL = { principal: 'local', kind: 'local' }
const A = 'file:///docs/a.md'

describe('`shelfmark serve --audit`', () => {
  it('writes a line for each operation over HTTP, with whatever client, before it ends', async () => {
    const { args, log, records, told } = served()
    const server = run([...args, '--http', '0'])
    const url = await endpoint(server)
    const v2 = await connectV2({ url }, { pin: '2026-07-28' })
    await v2.readResource({ uri: A })
    await expect(v2.readResource({ uri: 'file:///docs/none%0a{"fake":1}' })).rejects.toThrow('Resource not found')
    await v2.close()
    const v1 = await connectV1({ url })
    await v1.listResources()
    await v1.close()
    server.child.kill('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
    expect(told()).toEqual([
      { ...LOCAL, operation: 'read', uri: A, outcome: 'ok', bytes: 15 },
      { ...LOCAL, operation: 'read', uri: 'file:///docs/none%0a{"fake":1}', outcome: 'not-found' },
      { ...LOCAL, operation: 'list', outcome: 'ok' },
    ])
    for (const { time, ms } of records()) expect([typeof time, typeof ms]).toEqual(['string', 'number'])
    expect(statSync(log).mode & 0o777).toBe(0o600)
    expect(readFileSync(log, 'utf8')).not.toContain('secret')
  })

  it('writes them on stdio, also when the client just goes away', async () => {
    const { args, told } = served()
    const server = run(args)
    server.send(modern(1, 'resources/read', { uri: A }))
    await server.answer(1)
    server.child.stdin.end()
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
    expect(told()).toEqual([{ ...LOCAL, operation: 'read', uri: A, outcome: 'ok', bytes: 15 }])
  })

  it('refuses a file that it would serve, a link, and no file, and says what it wants', async () => {
    const { args, docs, folder } = served()
    const link = join(folder, 'link')
    symlinkSync(docs, join(folder, 'alias'))
    symlinkSync('/dev/null', link)
    for (const [file, code, said] of [
      [join(docs, 'audit.jsonl'), 2, 'which is served: name a file elsewhere'],
      [join(folder, 'alias', 'audit.jsonl'), 2, 'which is served: name a file elsewhere'],
      ['', 2, '--audit takes the name of a file'],
      [link, 1, `The audit cannot be written to ${link}: `],
      [join(folder, 'none', 'audit.jsonl'), 1, 'ENOENT'],
    ] as const) {
      const server = run([...args.slice(0, -1), file])
      const ended = await server.ended
      expect(ended.code).toBe(code)
      expect(ended.stderr).toContain(said)
    }
  })
})
