import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openClient } from '../client/index.ts'
import { createLibrary, localCall } from '../library/index.ts'
import { files } from '../providers/files/index.ts'
import { connectMemory } from '../transports/memory/index.ts'
import { readInParts } from './read-in-parts.ts'

const BODY = 'What is larger than the server gives.'

/** A file, on a server that gives ten bytes at once. */
async function opened(extended: boolean) {
  const root = mkdtempSync(join(tmpdir(), 'shelfmark-parts-'))
  const file = join(root, 'a.bin')
  writeFileSync(file, BODY)
  const library = createLibrary({ name: 'desk' }).mount(files(root))
  const client = openClient(() => connectMemory(library, { extended, limits: { maxRead: 10 } }))
  onTestFinished(async () => {
    await client.close()
    await library[Symbol.asyncDispose]()
    rmSync(root, { recursive: true })
  })
  await library.start()
  const { items } = await library.list({ limit: 1 }, localCall())
  return { client, file, uri: items[0]!.uri }
}

describe('readInParts()', () => {
  it('puts the parts together, and tells how far it is', async () => {
    const { client, uri } = await opened(true)
    const told: unknown[] = []
    const { contents, range } = await readInParts(client, uri, { onProgress: (done, total) => told.push([done, total]) })
    expect(contents).toEqual([{ uri, mimeType: 'application/octet-stream', bytes: Buffer.from(BODY) }])
    expect(range).toBeUndefined()
    expect(told).toEqual([10, 20, 30, 37].map((done) => [done, 37]))
  })

  it('says so when the resource changes meanwhile', async () => {
    const { client, file, uri } = await opened(true)
    const reading = readInParts(client, uri, { onProgress: () => writeFileSync(file, `${BODY} And changes.`) })
    await expect(reading).rejects.toThrow(`${uri} changed while it was read: read it again`)
  })

  it('gives the first error where the server has no ranges, or a range was asked for', async () => {
    const without = await opened(false)
    const tooLarge = { code: 'too-large', details: { size: 37, limit: 10 } }
    await expect(readInParts(without.client, without.uri, {})).rejects.toMatchObject(tooLarge)
    const { client, uri } = await opened(true)
    await expect(readInParts(client, uri, { range: { offset: 0, length: 20 } })).rejects.toMatchObject({ code: 'too-large' })
  })
})
