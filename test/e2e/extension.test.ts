import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, openSync, closeSync, ftruncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLI, folderOfFile } from './command-line.ts'
import type { OfficialClient } from './official-clients.ts'
import { OFFICIAL_CLIENTS } from './official-clients.ts'
import { served } from './served.ts'

const RANGE = 'dev.shelfmark/range'
const VERSION = 'dev.shelfmark/version'
const UNCHANGED = 'dev.shelfmark/unchanged'
const MIB = 1024 * 1024

const folder = folderOfFile()
const large = randomBytes(20 * MIB + 7)
writeFileSync(join(folder, 'large.bin'), large)
writeFileSync(join(folder, 'large.txt'), 'é\n'.repeat(2 * MIB))
mkdirSync(join(folder, 'sub'))
// A gibibyte that takes no room, with a word in its middle.
const file = openSync(join(folder, 'huge.bin'), 'w')
ftruncateSync(file, 1024 * MIB)
writeSync(file, 'middle', 512 * MIB)
closeSync(file)
const { transports } = served([CLI, 'serve', `docs=${folder}`], ['--http', '0'])

const sha256 = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex')

/** A file by parts, as docs/extension.md says that a client reads one. */
async function readByParts(client: OfficialClient, uri: string, length: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let first: unknown
  for (let offset = 0, total = 1; offset < total;) {
    const { contents, meta } = await client.ask(uri, { [RANGE]: { offset, length } })
    const given = meta[RANGE] as { offset: number; length: number; total: number }
    const bytes = Buffer.from(contents[0]?.blob ?? '', 'base64')
    expect(given).toEqual({ offset, length: bytes.length, total: given.total })
    first ??= meta[VERSION]
    expect(meta[VERSION]).toBe(first)
    parts.push(bytes)
    offset += bytes.length
    total = given.total
  }
  expect(first).toMatch(/./)
  return Buffer.concat(parts)
}

describe.each(transports)('the extension of `shelfmark serve` on %s', (transport, target) => {
  describe.each(OFFICIAL_CLIENTS)('with %s', (name, revision, connect) => {
    let client: OfficialClient

    beforeAll(async () => {
      client = await connect(target())
      // Until then the files count as just written, and each look at one has a version of its own.
      await sleep(50)
    })

    afterAll(() => client.close())

    it('is declared', () => {
      expect(client.extensions).toMatchObject({
        'dev.shelfmark/resources': { ranges: true, versions: true, stat: true, maxRead: 5_242_880 },
      })
    })

    it('gives a file of 20 MiB by parts, byte for byte, and not in one piece', async () => {
      const bytes = await readByParts(client, 'file:///docs/large.bin', 4 * MIB + 1)
      expect(bytes.length).toBe(20 * MIB + 7)
      expect(sha256(bytes)).toBe(sha256(large))
      await expect(client.read('file:///docs/large.bin')).rejects.toMatchObject({ code: 10413, data: { limit: 5_242_880 } })
    })

    it('gives a text by parts that begin inside a character', async () => {
      const bytes = await readByParts(client, 'file:///docs/large.txt', 5 * MIB)
      expect(bytes.equals(Buffer.from('é\n'.repeat(2 * MIB)))).toBe(true)
    })

    it('gives any part of a gibibyte, and nothing after its end', async () => {
      const uri = 'file:///docs/huge.bin'
      const { contents, meta } = await client.ask(uri, { [RANGE]: { offset: 512 * MIB - 1, length: 8 } })
      expect(contents).toEqual([
        { uri, mimeType: 'application/octet-stream', blob: Buffer.from('\0middle\0').toString('base64') },
      ])
      expect(meta[RANGE]).toEqual({ offset: 536_870_911, length: 8, total: 1_073_741_824 })
      const end = await client.ask(uri, { [RANGE]: { offset: 2_000 * MIB } })
      expect(end.contents).toEqual([{ uri, mimeType: 'application/octet-stream', blob: '' }])
      expect(end.meta[RANGE]).toEqual({ offset: 1_073_741_824, length: 0, total: 1_073_741_824 })
    })

    it('says unchanged until a file is edited', async () => {
      const path = `${transport}-${name.replaceAll(/\W/g, '-')}.md`
      const uri = `file:///docs/${path}`
      writeFileSync(join(folder, path), 'one')
      await sleep(50)
      const first = await client.ask(uri)
      const version = first.meta[VERSION]
      expect(first.contents).toMatchObject([{ text: 'one' }])
      expect(version).toMatch(/./)
      const second = await client.ask(uri, { [VERSION]: version })
      expect(second.contents).toEqual([])
      expect(second.meta).toMatchObject({ [VERSION]: version, [UNCHANGED]: true })
      expect(second.hint).toEqual(revision === '2026-07-28' ? { ttlMs: 0, cacheScope: 'private' } : {})
      writeFileSync(join(folder, path), 'two')
      const third = await client.ask(uri, { [VERSION]: version })
      expect(third.contents).toMatchObject([{ text: 'two' }])
      expect(third.meta).not.toHaveProperty(UNCHANGED)
      expect(third.meta[VERSION]).not.toBe(version)
    })

    it('answers stat without a read', async () => {
      const listed = (await client.list()).find((item) => item.uri === 'file:///docs/huge.bin')
      const { meta } = await client.ask('file:///docs/huge.bin', { [RANGE]: { offset: 0, length: 0 } })
      expect(await client.stat('file:///docs/huge.bin')).toMatchObject({
        resource: listed,
        version: meta[VERSION],
        ...(revision === '2026-07-28' && { ttlMs: 0, cacheScope: 'private' }),
      })
      expect(await client.stat('file:///docs/sub')).toMatchObject({ resource: { name: 'sub', mimeType: 'inode/directory' } })
      await expect(client.stat('file:///docs/none')).rejects.toMatchObject({
        // The newer client has one error for both eras' codes, and shows the newer one.
        code: name === 'sdk 1.32.2' ? -32002 : -32602,
        data: { uri: 'file:///docs/none' },
      })
    })

    it('refuses what is no range, and serves on', async () => {
      const refused = client.ask('file:///docs/large.bin', { [RANGE]: { offset: -1 } })
      await expect(refused).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('got -1') as string })
      expect(await client.templates()).toEqual(['file:///docs/{+path}'])
    })
  })
})
