import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cache, createLibrary, limits, redact } from 'shelfmark'
import { files } from 'shelfmark/providers/files'
import { serveHttp } from 'shelfmark/transports/http'
import { folderOfFile } from './command-line.ts'
import type { OfficialClient } from './official-clients.ts'
import { OFFICIAL_CLIENTS } from './official-clients.ts'

const TOKEN = `ghp_${'aB3dE5gH'.repeat(5)}`
const RANGE = 'dev.shelfmark/range'
const deep = ['d1', 'd2', 'd3']

const folder = folderOfFile()
writeFileSync(join(folder, 'plain.txt'), `é ${TOKEN} and ${TOKEN}\n`)
// Neither of them is UTF-8, so both come as a blob.
writeFileSync(join(folder, 'latin1.txt'), Buffer.from(`é ${TOKEN}\n`, 'latin1'))
writeFileSync(join(folder, 'utf16.dat'), Buffer.from(`é ${TOKEN}\n`, 'utf16le'))
writeFileSync(join(folder, 'large.txt'), '-'.repeat(2_001))
mkdirSync(join(folder, ...deep), { recursive: true })
writeFileSync(join(folder, ...deep, 'a.txt'), 'deep')

let reads = 0
const source = files({ root: folder, name: 'docs' })
const library = createLibrary({ name: 'acme' })
  .mount({
    ...source,
    read: (request, call) => {
      reads++
      return source.read(request, call)
    },
  })
  .resource('status://now', () => `${++reads}`)
  .use(redact())
  .use(cache({ ttlMs: 600_000 }))
  .use(limits({ maxRead: 2_000, depth: 3 }))

let server: Awaited<ReturnType<typeof serveHttp>>

beforeAll(async () => {
  server = await serveHttp(library, { port: 0, extended: true })
})
afterAll(() => server.close())

describe.each(OFFICIAL_CLIENTS)('redact, cache and limits over HTTP with %s', (_name, _revision, connect) => {
  let client: OfficialClient

  beforeAll(async () => {
    client = await connect({ url: server.url })
  })
  afterAll(() => client.close())

  const uri = (file: string): string => `file:///docs/${file}`
  const blob = async (file: string): Promise<string> =>
    Buffer.from((await client.read(uri(file)))[0]?.blob ?? '', 'base64').toString('latin1')

  it('no secret comes, in whatever it is written', async () => {
    expect((await client.read(uri('plain.txt')))[0]?.text).toBe('é [redacted:github-token] and [redacted:github-token]\n')
    expect(await blob('latin1.txt')).toBe('é [redacted:github-token]\n')
    expect((await blob('utf16.dat')).replaceAll('\0', '')).toBe('é [redacted:github-token]\n')
  })

  it('parts fit together, and none has half a secret', async () => {
    let whole = ''
    for (let offset = 0, total = 1; offset < total; offset += 7) {
      const { contents, meta } = await client.ask(uri('plain.txt'), { [RANGE]: { offset, length: 7 } })
      whole += Buffer.from(contents[0]?.blob ?? '', 'base64').toString('latin1')
      total = (meta[RANGE] as { total: number }).total
    }
    expect(Buffer.from(whole, 'latin1').toString()).toBe('é [redacted:github-token] and [redacted:github-token]\n')
  })

  it('what is kept is asked for once, until it is told to have changed', async () => {
    const now = async () => (await client.read('status://now'))[0]?.text
    const first = await now()
    expect(await now()).toBe(first)
    await client.read(uri('plain.txt'))
    const before = reads
    await client.read(uri('plain.txt'))
    expect(reads).toBe(before)
    library.updated('status://now')
    expect(Number(await now())).toBe(before + 1)
  })

  it('lists say no size, and what is too large or too deep is refused', async () => {
    const items = await client.list()
    expect(items).toHaveLength(6)
    expect(items.filter((item) => item.size !== undefined)).toEqual([])
    await expect(client.read(uri('large.txt'))).rejects.toMatchObject({ code: 10413, data: { size: 2001, limit: 2000 } })
    expect((await client.directory(uri('d1/d2'))).map((item) => item.name)).toEqual(['d3'])
    await expect(client.directory(uri('d1/d2/d3'))).rejects.toThrow('The directory is 4 levels deep and the limit is 3')
  })
})
