import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeText, isTextType, typeByName } from './index.ts'

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
