import { createLibrary, localCall } from 'shelfmark'
import { expect, it } from 'vitest'
import { logHandler } from '../../examples/log.ts'

it('the handler of docs/extension.md reads no more than it is asked for, and nothing that did not change', async () => {
  const text = 'one\ntwo\nthree\n'
  const reads: (readonly [number, number])[] = []
  const log = {
    state: async () => ({ version: 'v3', size: text.length }),
    bytes: async (start: number, length: number) => {
      reads.push([start, length])
      return Uint8Array.from(text.slice(start, start + length), (char) => char.charCodeAt(0))
    },
  }
  const library = createLibrary({ name: 'acme' }).resource('log://today', logHandler('log://today', log))
  const read = (more: object, maxBytes = 100) => library.read({ uri: 'log://today', maxBytes, ...more }, localCall())
  expect(await read({})).toMatchObject({ version: 'v3', contents: [{ bytes: { length: 14 } }] })
  expect(await read({ range: { offset: 4, length: 3 } }, 3)).toEqual({
    kind: 'contents',
    contents: [{ uri: 'log://today', mimeType: 'text/plain', bytes: Uint8Array.of(0x74, 0x77, 0x6f) }],
    version: 'v3',
    range: { offset: 4, length: 3, total: 14 },
  })
  expect(await read({ range: { offset: 12, length: 9 } })).toMatchObject({ range: { offset: 12, length: 2, total: 14 } })
  expect(await read({ ifVersion: 'v3' })).toEqual({ kind: 'unchanged', version: 'v3' })
  await expect(read({ range: { offset: 4 } }, 3)).rejects.toMatchObject({ code: 'too-large', details: { size: 10, limit: 3 } })
  expect(reads).toEqual([
    [0, 14],
    [4, 3],
    [12, 2],
  ])
})
