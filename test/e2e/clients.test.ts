import { UriTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLI, folderOfFile } from './command-line.ts'
import { ODD_FILES, PLAIN_FILES, bytesOf, fillOddFolder } from './odd-folder.ts'
import type { OfficialClient } from './official-clients.ts'
import { OFFICIAL_CLIENTS } from './official-clients.ts'
import { served } from './served.ts'

const folder = folderOfFile()
const files = fillOddFolder(folder)
const { transports } = served([CLI, 'serve', `odd=${folder}`], ['--http', '0'])
const ROOT = 'file:///odd'

describe.each(transports)('`shelfmark serve` on %s', (_transport, target) => {
  describe.each(OFFICIAL_CLIENTS)('to %s', (name, revision, connect) => {
    let client: OfficialClient

    beforeAll(async () => {
      client = await connect(target())
    })

    afterAll(() => client.close())

    it('agrees on the newest revision that the client has', () => {
      expect(client.revision).toBe(revision)
    })

    it('lists every file once, over all pages', async () => {
      const uris = (await client.list()).map((item) => item.uri)
      expect(uris).toHaveLength(ODD_FILES.length + PLAIN_FILES)
      expect(new Set(uris)).toEqual(new Set([...files.keys()].map((uri) => `${ROOT}/${uri}`)))
    })

    it('reads whatever it listed, byte for byte, under the URI it was asked for', async () => {
      const listed = await client.list()
      const wrong: string[] = []
      for (let i = 0; i < listed.length; i += 16) {
        await Promise.all(
          listed.slice(i, i + 16).map(async ({ uri, size }) => {
            const [body, ...more] = await client.read(uri)
            const bytes = files.get(uri.slice(ROOT.length + 1)) ?? Buffer.from('none')
            const same = body !== undefined && body.uri === uri && bytesOf(body).equals(bytes)
            if (!same || more.length > 0 || size !== bytes.length) wrong.push(uri)
          }),
        )
      }
      expect(wrong).toEqual([])
      expect(listed).toHaveLength(480)
    })

    it('gives odd names their name, and bodies their type', async () => {
      const listed = new Map((await client.list()).map((item) => [item.uri, item.name]))
      const seen = []
      for (const [, uri] of ODD_FILES)
        seen.push([listed.get(`${ROOT}/${uri}`), (await client.read(`${ROOT}/${uri}`))[0]?.mimeType])
      expect(seen).toEqual(ODD_FILES.map(([path, , , type]) => [path.slice(path.lastIndexOf('/') + 1), type]))
    })

    it('reads an empty file as one empty text', async () => {
      expect(await client.read(`${ROOT}/empty.txt`)).toEqual([{ uri: `${ROOT}/empty.txt`, mimeType: 'text/plain', text: '' }])
    })

    it('lists its template, and reads what the official class expands it to', async () => {
      const [template = '', ...others] = await client.templates()
      expect([template, others]).toEqual([`${ROOT}/{+path}`, []])
      const expand = (path: string): string => new UriTemplate(template).expand({ path })
      // No name with a reserved character or a triplet: that class encodes the percent sign of a triplet once more.
      expect(expand('nested/with space/x y.md')).toBe(`${ROOT}/nested/with%20space/x%20y.md`)
      expect(await client.read(expand('nested/with space/x y.md'))).toMatchObject([{ text: 'both' }])
      expect(await client.read(expand('caf\u00e9.md'))).toMatchObject([{ text: 'composed' }])
      expect(await client.read(expand('cafe\u0301.md'))).toMatchObject([{ text: 'decomposed' }])
      expect(await client.read(expand('\u65e5\u672c\u8a9e.txt'))).toMatchObject([{ text: '\u8a9e' }])
    })

    it('walks the folder as directories, and meets every file', async () => {
      const found: string[] = []
      const walk = async (uri: string): Promise<void> => {
        for (const child of await client.directory(uri)) {
          if (child.mimeType === 'inode/directory') await walk(child.uri)
          else found.push(child.uri)
        }
      }
      await walk(ROOT)
      expect(new Set(found)).toEqual(new Set([...files.keys()].map((uri) => `${ROOT}/${uri}`)))
      expect(found).toHaveLength(files.size)
    })

    it('completes a path folder by folder, whatever earlier arguments say', async () => {
      const template = `${ROOT}/{+path}`
      expect((await client.complete(template, 'path', 'nest')).values).toEqual(['nested/'])
      expect((await client.complete(template, 'path', 'nested/')).values).toEqual(['nested/deeper/', 'nested/with space/'])
      expect((await client.complete(template, 'path', 'nested/with%20space/')).values).toEqual(['nested/with space/x y.md'])
      expect((await client.complete(template, 'path', 'nest', { other: 'x' })).values).toEqual(['nested/'])
      const many = await client.complete(template, 'path', 'many/file-')
      expect(many.values).toHaveLength(100)
      expect(many).toMatchObject({ total: 450, hasMore: true })
      expect((await client.complete(template, 'path', 'absent/')).values).toEqual([])
      // A URI that the template matches stands for the template.
      expect((await client.complete(`${ROOT}/A.md`, 'path', 'A.')).values).toEqual(['A.md'])
    })

    it('reads what it completed', async () => {
      const { values } = await client.complete(`${ROOT}/{+path}`, 'path', 'a')
      expect(values).toEqual(['a%23b.md', 'a%252Fb.txt', 'a%25b.md', 'a%26b.md', 'a%2Bb.md', 'a%3Fb.md'])
      for (const value of values) {
        const [body] = await client.read(`${ROOT}/${value}`)
        expect(body).toMatchObject({ text: files.get(value)?.toString() })
      }
    })

    it('answers for what is not there with the code of the era and the URI as sent', async () => {
      const failure = await client.read(`${ROOT}/absent.md`).catch((error: unknown) => error)
      // The newer client has one error for both eras' codes, and shows the newer one.
      expect(failure).toMatchObject({ code: name === 'sdk 1.32.2' ? -32002 : -32602, data: { uri: `${ROOT}/absent.md` } })
      await expect(client.complete('file:///other/{+path}', 'path', '')).rejects.toMatchObject({ code: -32602 })
      await expect(client.directory(`${ROOT}/A.md`)).rejects.toMatchObject({ code: -32602 })
    })
  })
})
