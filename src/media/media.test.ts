import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeText, identify, identifyBinary, isTextType, SIGNATURE_BYTES, typeByName } from './index.ts'

describe('typeByName()', () => {
  it.each([
    ['a.ts', 'text/typescript'],
    ['a.MTS', 'text/typescript'],
    ['a.tsx', 'text/tsx'],
    ['a.d.cts', 'text/typescript'],
    ['main.py', 'text/x-python'],
    ['main.go', 'text/x-go'],
    ['lib.rs', 'text/x-rust'],
    ['a.rb', 'text/x-ruby'],
    ['a.kt', 'text/x-kotlin'],
    ['a.swift', 'text/x-swift'],
    ['a.vue', 'text/x-vue'],
    ['a.svelte', 'text/x-svelte'],
    ['Cargo.toml', 'application/toml'],
    ['a.yaml', 'application/yaml'],
    ['Dockerfile', 'text/x-dockerfile'],
    ['Makefile', 'text/x-makefile'],
    ['LICENSE', 'text/plain'],
    ['.gitignore', 'text/plain'],
    ['README.md', 'text/markdown'],
    ['a.json', 'application/json'],
    ['a.html', 'text/html'],
    ['a.png', 'image/png'],
    ['a.svg', 'image/svg+xml'],
    ['a.pdf', 'application/pdf'],
    ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['a.zip', 'application/zip'],
  ])('typeByName(%s) is %s', (name, type) => {
    expect(typeByName(name)).toBe(type)
  })

  it.each(['', 'noextension', 'trailing.', 'a.unheardof', '__proto__', 'a.constructor'])('typeByName(%s) is unknown', (name) => {
    expect(typeByName(name)).toBe(undefined)
  })
})

describe('isTextType()', () => {
  it.each([
    'text/plain',
    'TEXT/HTML; charset=x',
    'application/json',
    'image/svg+xml',
    'application/problem+json',
    'application/toml',
  ])('isTextType(%s) is true', (type) => {
    expect(isTextType(type)).toBe(true)
  })
  it.each(['image/png', 'application/octet-stream', 'application/pdf', 'application/zip', 'video/mp4'])(
    'isTextType(%s) is false',
    (type) => {
      expect(isTextType(type)).toBe(false)
    },
  )
})

describe('decodeText()', () => {
  it.each([
    ['no bytes', [], '', 'utf-8'],
    ['ASCII', [0x61], 'a', 'utf-8'],
    ['UTF-8', [0xc3, 0xa9], 'é', 'utf-8'],
    ['UTF-8 with a mark, which stays', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa', 'utf-8'],
    ['UTF-16 little endian', [0xff, 0xfe, 0x61, 0x00], '\ufeffa', 'utf-16le'],
    ['UTF-16 big endian', [0xfe, 0xff, 0x00, 0x61], '\ufeffa', 'utf-16be'],
    ['UTF-16 with a pair', [0xff, 0xfe, 0x3d, 0xd8, 0x00, 0xde], '\ufeff😀', 'utf-16le'],
  ])('decodeText() reads %s', (_, bytes, text, charset) => {
    expect(decodeText(Uint8Array.from(bytes))).toEqual({ text, charset })
  })

  it.each([
    ['Latin-1', [0x63, 0x61, 0x66, 0xe9]],
    ['a NUL', [0x61, 0x00]],
    ['overlong UTF-8', [0xc0, 0xae]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a cut sequence', [0x61, 0xe2, 0x82]],
    ['UTF-16 without a mark', [0x61, 0x00, 0x62, 0x00]],
    ['a lone surrogate in UTF-16', [0xff, 0xfe, 0x3d, 0xd8]],
    ['half a unit of UTF-16', [0xff, 0xfe, 0x61]],
    ['a NUL in UTF-16', [0xff, 0xfe, 0x00, 0x00]],
  ])('decodeText() leaves %s as bytes', (_, bytes) => {
    expect(decodeText(Uint8Array.from(bytes))).toBe(undefined)
  })

  it('decodeText() gives UTF-8 back byte for byte, and never a lone surrogate', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const decoded = decodeText(bytes)
        if (decoded === undefined) return
        expect(decoded.text.isWellFormed()).toBe(true)
        const back = decoded.charset === 'utf-8' ? new TextEncoder().encode(decoded.text) : bytes
        expect(back).toEqual(bytes)
      }),
    )
  })
})

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0))

describe('identify()', () => {
  const html = latin1('<!doctype html><script>alert(1)</script>')

  it.each<[string, string, Uint8Array, string]>([
    ['a page called a picture', 'image/png', html, 'application/octet-stream'],
    [
      'a picture in text called another',
      'image/jpeg',
      latin1('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'application/octet-stream',
    ],
    ['a picture called text', 'text/plain', latin1('\x89PNG\r\n\x1a\n\0\0'), 'application/octet-stream'],
    ['a picture called another', 'image/gif', latin1('\x89PNG\r\n\x1a\n\0\0'), 'application/octet-stream'],
    ['half of a signature', 'image/png', latin1('\x89PNG'), 'application/octet-stream'],
    ['a script that begins like a picture, called one', 'image/gif', latin1('GIF89a=1;alert(1)'), 'image/gif'],
    ['a document', 'application/pdf', latin1('%PDF-1.7\n'), 'application/pdf'],
    ['a picture', 'image/webp', latin1('RIFF\x10\0\0\0WEBPVP8 '), 'image/webp'],
    ['what nothing is known of', 'application/vnd.acme', html, 'application/vnd.acme'],
    ['Latin-1 called text', 'text/plain', latin1('caf\xe9'), 'application/octet-stream'],
  ])('takes %s for what both its type and its bytes say', (_what, type, bytes, mimeType) => {
    expect(identify(bytes, type)).toEqual({ mimeType })
  })

  it.each<[string, Uint8Array, string]>([
    ['a picture', latin1('\xff\xd8\xff\xe0\0'), 'image/jpeg'],
    ['an archive', latin1('PK\x03\x04\0'), 'application/zip'],
    ['a program', latin1('\x7fELF\x02\x01\0'), 'application/octet-stream'],
    ['a program of another system', latin1('MZ\x90\0'), 'application/octet-stream'],
  ])('takes %s of no type for what it begins like, if that is shown and not run', (_what, bytes, mimeType) => {
    expect(identify(bytes, undefined)).toEqual({ mimeType })
  })

  it('gives text with its charset, and never a type that would run by its looks', () => {
    expect(identify(html, undefined)).toEqual({ mimeType: 'text/plain', text: '<!doctype html><script>alert(1)</script>' })
    expect(identify(latin1('\xff\xfea\0'), 'text/csv')).toEqual({ mimeType: 'text/csv; charset=utf-16le', text: '\ufeffa' })
    expect(identify(new Uint8Array(0), 'image/png')).toEqual({ mimeType: 'image/png', text: '' })
  })

  it('knows from the first bytes what it knows from all', () => {
    const types = fc.constantFrom('image/png', 'image/webp', 'application/pdf', 'audio/wav', 'font/woff2', undefined)
    const beginnings = fc.constantFrom('\x89PNG\r\n\x1a\n', '%PDF-', 'RIFF....WEBP', 'RIFF....WAVE', '\0')
    fc.assert(
      fc.property(types, beginnings, fc.uint8Array({ maxLength: 40 }), (type, beginning, rest) => {
        const bytes = Uint8Array.from([...latin1(beginning), ...rest])
        expect(identifyBinary(bytes.subarray(0, SIGNATURE_BYTES), type)).toBe(identifyBinary(bytes, type))
      }),
    )
  })
})
