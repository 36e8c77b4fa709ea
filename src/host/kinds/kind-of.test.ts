import { describe, expect, it } from 'vitest'
import type { Kind } from './index.ts'
import { KINDS, kindOf } from './index.ts'

const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0)
const utf8 = (text: string) => new TextEncoder().encode(text)

describe('kindOf()', () => {
  it.each<[type: string | undefined, uri: string, kind: Kind]>([
    ['text/markdown; charset=utf-8', 'x:1', 'markdown'],
    ['TEXT/MARKDOWN', 'x:1', 'markdown'],
    ['application/pdf', 'x:report.txt', 'pdf'],
    ['application/ld+json', 'x:1', 'json'],
    ['application/json', 'x:a.ts', 'json'],
    ['image/svg+xml', 'x:1', 'xml'],
    ['image/png', 'x:a.svg', 'image'],
    ['text/html', 'x:1', 'xml'],
    ['text/csv', 'x:1', 'table'],
    ['application/yaml', 'x:1', 'configuration'],
    ['text/x-python', 'x:1', 'code'],
    ['application/typescript', 'x:1', 'code'],
    ['video/mp4', 'x:1', 'video'],
    ['audio/mpeg', 'x:1', 'audio'],
    ['application/gzip', 'x:1', 'archive'],
    ['text/plain', 'file:///r/main.rs', 'code'],
    ['text/plain', 'file:///r/app.log.3', 'log'],
    ['text/plain', 'file:///r/Dockerfile', 'code'],
    ['text/plain', 'file:///r/notes', 'text'],
    ['text/calendar', 'x:1', 'text'],
    ['application/octet-stream', 'file:///r/a.tar', 'archive'],
    ['application/octet-stream', 'file:///r/a.rs', 'code'],
    ['application/vnd.unknown', 'x:1', 'other'],
    [undefined, 'file:///r/a%20b.yml?x=1#y', 'configuration'],
    [undefined, 'file:///r/.eslintrc', 'configuration'],
    [undefined, 'file:///r/%zz.csv', 'table'],
    [undefined, 'ticket:7', 'other'],
    ['', 'ticket:7', 'other'],
    [undefined, 'x:constructor', 'other'],
  ])('takes %s and %s for %s', (mimeType, uri, kind) => {
    expect(kindOf({ uri, ...(mimeType !== undefined && { mimeType }) })).toBe(kind)
  })

  it.each<[beginning: Uint8Array | string, kind: Kind]>([
    [png, 'image'],
    [utf8('%PDF-1.7'), 'pdf'],
    [utf8('PK\x03\x04'), 'archive'],
    [utf8('BM\x46\0\0\0\0\0\0\0\x36\0'), 'image'],
    [utf8('BM25 ranks what it finds.'), 'text'],
    [utf8('#!/usr/bin/env node\n'), 'code'],
    ['<?xml version="1.0"?>', 'xml'],
    ['\ufeff  {"a": 1}', 'json'],
    ['---\ntitle: x\n---\ntext', 'markdown'],
    ['---\na: 1\nb: 2\n', 'configuration'],
    ['# Title', 'markdown'],
    ['2026-01-01 10:00:00 started', 'log'],
    ['just words', 'text'],
    [utf8('é'.repeat(300)), 'text'],
    [Uint8Array.of(0xff, 0xfe, 0), 'other'],
    [new Uint8Array(0), 'other'],
    ['', 'other'],
  ])('looks at how contents begin where nothing else is told: %j', (beginning, kind) => {
    expect(kindOf({ uri: 'x:1' }, beginning)).toBe(kind)
  })

  it('takes bytes of no type for what they show, whatever their name says, and text for what its name says', () => {
    expect(kindOf({ uri: 'x:a.txt', mimeType: 'application/octet-stream' }, png)).toBe('image')
    expect(kindOf({ uri: 'x:a.ts', mimeType: 'text/plain' }, '# comment')).toBe('code')
    expect(kindOf({ uri: 'x:1', name: 'main.go' })).toBe('code')
  })

  it('has what suits each kind', () => {
    expect(Object.entries(KINDS).map(([kind, { isText, outline }]) => `${kind} ${isText ? outline : 'bytes'}`)).toEqual([
      'markdown headings',
      'text headings',
      'code symbols',
      'configuration keys',
      'json keys',
      'xml headings',
      'table columns',
      'log none',
      'image bytes',
      'pdf bytes',
      'audio bytes',
      'video bytes',
      'archive bytes',
      'other bytes',
    ])
  })
})
