import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Files that something once tripped over: path, URI below the root, bytes, and the type that a read must give. */
export const ODD_FILES: readonly (readonly [path: string, uri: string, bytes: Buffer, type: string])[] = [
  ['setup guide.md', 'setup%20guide.md', text('# Guide\n'), 'text/markdown'],
  ['caf\u00e9.md', 'caf%C3%A9.md', text('composed'), 'text/markdown'],
  ['cafe\u0301.md', 'cafe%CC%81.md', text('decomposed'), 'text/markdown'],
  ['\u65e5\u672c\u8a9e.txt', '%E6%97%A5%E6%9C%AC%E8%AA%9E.txt', text('\u8a9e'), 'text/plain'],
  ['\u{1f4da}.md', '%F0%9F%93%9A.md', text('\u{1f4da}'), 'text/markdown'],
  ['a#b.md', 'a%23b.md', text('hash'), 'text/markdown'],
  ['a?b.md', 'a%3Fb.md', text('question'), 'text/markdown'],
  ['a&b.md', 'a%26b.md', text('and'), 'text/markdown'],
  ['a%b.md', 'a%25b.md', text('percent'), 'text/markdown'],
  ['a+b.md', 'a%2Bb.md', text('plus'), 'text/markdown'],
  ['q1#7 &x=3+y?.md', 'q1%237%20%26x%3D3%2By%3F.md', text('all of them'), 'text/markdown'],
  ['%41.md', '%2541.md', text('not A'), 'text/markdown'],
  ['A.md', 'A.md', text('A'), 'text/markdown'],
  ['a%2Fb.txt', 'a%252Fb.txt', text('no slash'), 'text/plain'],
  [' leading space.md', '%20leading%20space.md', text('space'), 'text/markdown'],
  ['-dash.md', '-dash.md', text('dash'), 'text/markdown'],
  ['trailing dot.', 'trailing%20dot.', text('dot'), 'text/plain'],
  [`${'n'.repeat(247)}.md`, `${'n'.repeat(247)}.md`, text('250 bytes'), 'text/markdown'],
  ['empty.txt', 'empty.txt', text(''), 'text/plain'],
  ['quotes.txt', 'quotes.txt', text('\u201ccurly\u201d \u2014 \u65e5\u672c \u{1f4da}\r\nnext\u2028line'), 'text/plain'],
  ['marked.txt', 'marked.txt', text('\ufeffwith a byte order mark'), 'text/plain'],
  ['every-byte.bin', 'every-byte.bin', everyByte(), 'application/octet-stream'],
  ['latin-1.txt', 'latin-1.txt', Buffer.from('caf\u00e9', 'latin1'), 'application/octet-stream'],
  ['wide.txt', 'wide.txt', Buffer.from('\ufeffw\u00efde \u{1f4da}', 'utf16le'), 'text/plain; charset=utf-16le'],
  ['wide-be.txt', 'wide-be.txt', Buffer.from('\ufeffw\u00efde', 'utf16le').swap16(), 'text/plain; charset=utf-16be'],
  ['code.ts', 'code.ts', text('export const one = 1\n'), 'text/typescript'],
  ['picture.txt', 'picture.txt', pixel(), 'application/octet-stream'],
  ['pixel.png', 'pixel.png', pixel(), 'image/png'],
  ['nested/deeper/deepest/file.json', 'nested/deeper/deepest/file.json', text('{"deep":true}'), 'application/json'],
  ['nested/with space/x y.md', 'nested/with%20space/x%20y.md', text('both'), 'text/markdown'],
]

/** How many plain files stand beside the odd ones, so that a list has more than one page. */
export const PLAIN_FILES = 450

/** Fills a folder; gives the bytes of every file by its URI below the root. */
export function fillOddFolder(root: string): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>()
  const put = (path: string, uri: string, bytes: Buffer): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), bytes)
    files.set(uri, bytes)
  }
  for (const [path, uri, bytes] of ODD_FILES) put(path, uri, bytes)
  for (let i = 0; i < PLAIN_FILES; i++) {
    const path = `many/file-${String(i).padStart(3, '0')}.txt`
    put(path, path, text(`number ${i}`))
  }
  return files
}

/** The bytes that a text stood for: UTF-8, unless its type names another encoding. */
export function bytesOf(body: {
  readonly mimeType?: string | undefined
  readonly text?: string | undefined
  readonly blob?: string | undefined
}): Buffer {
  if (body.blob !== undefined) return Buffer.from(body.blob, 'base64')
  if (body.text === undefined) throw new Error('neither text nor blob')
  if (body.mimeType?.endsWith('charset=utf-16le')) return Buffer.from(body.text, 'utf16le')
  if (body.mimeType?.endsWith('charset=utf-16be')) return Buffer.from(body.text, 'utf16le').swap16()
  return Buffer.from(body.text, 'utf8')
}

function text(value: string): Buffer {
  return Buffer.from(value, 'utf8')
}

function everyByte(): Buffer {
  return Buffer.from(Array.from({ length: 256 }, (_, i) => i))
}

function pixel(): Buffer {
  return Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64')
}
