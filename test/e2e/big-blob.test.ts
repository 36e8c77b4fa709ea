import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLI, folderOfFile } from './command-line.ts'
import { OFFICIAL_CLIENTS } from './official-clients.ts'
import { served } from './served.ts'

const folder = folderOfFile()
const LIMIT = 5 * 1024 * 1024
const bytes = randomBytes(LIMIT)
writeFileSync(join(folder, 'limit.bin'), bytes)
writeFileSync(join(folder, 'over.bin'), Buffer.alloc(LIMIT + 1))
const { transports } = served([CLI, 'serve', `docs=${folder}`], ['--http', '0'])

const sha256 = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex')

describe.each(transports)('a blob on %s', (_transport, target) => {
  it.each(OFFICIAL_CLIENTS.filter(([name]) => !name.endsWith('auto')))(
    'of 5 MiB reaches %s byte for byte, and one byte more is refused',
    async (_name, _revision, connect) => {
      const client = await connect(target())
      try {
        const [body] = await client.read('file:///docs/limit.bin')
        expect(body?.mimeType).toBe('application/octet-stream')
        expect(sha256(Buffer.from(body?.blob ?? '', 'base64'))).toBe(sha256(bytes))
        const failure: unknown = await client.read('file:///docs/over.bin').catch((error: unknown) => error)
        expect(failure).toMatchObject({ code: 10413, data: { size: 5_242_881, limit: 5_242_880 } })
        // The connection is unharmed.
        expect(await client.templates()).toEqual(['file:///docs/{+path}'])
      } finally {
        await client.close()
      }
    },
  )
})
