// oxlint-disable no-template-curly-in-string -- variables of configuration files
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ServerFileForm } from './server-entry.ts'
import { showParts, textParts, wordParts } from './variables.ts'

const origin = (form: ServerFileForm) => ({ scope: 'project' as const, form, folder: '/w/app', home: '/home/me', inputs: [] })

describe('textParts()', () => {
  it('reads ${VAR} and ${VAR:-default} of Claude Code, and nothing else', () => {
    expect(textParts('a${A}${B:-x y}${C:-}$D${env:E}${F', origin('claude-code'))).toEqual([
      'a',
      { written: '${A}', kind: 'env', name: 'A' },
      { written: '${B:-x y}', kind: 'env', name: 'B', fallback: 'x y' },
      { written: '${C:-}', kind: 'env', name: 'C', fallback: '' },
      '$D${env:E}${F',
    ])
  })

  it.each(['vscode', 'cursor'] as const)('reads the variables of %s', (form) => {
    expect(textParts('${env:A}${input:b c}${HOME}${workspaceFolder}${/}${userHome}${config:x}', origin(form))).toEqual([
      { written: '${env:A}', kind: 'env', name: 'A' },
      { written: '${input:b c}', kind: 'input', name: 'b c' },
      '${HOME}',
      { written: '${workspaceFolder}', kind: 'folder', name: '/w/app' },
      { written: '${/}', kind: 'folder', name: '/' },
      { written: '${userHome}', kind: 'folder', name: '/home/me' },
      { written: '${config:x}', kind: 'never', name: 'config:x' },
    ])
  })

  it('finds a variable inside what is none', () => {
    expect(textParts('${x ${env:A}}', origin('vscode'))).toEqual(['${x ', { written: '${env:A}', kind: 'env', name: 'A' }, '}'])
  })

  it('reads none for Claude Desktop, nor without an origin', () => {
    expect(textParts('${A}${env:B}', origin('claude-desktop'))).toEqual(['${A}${env:B}'])
    expect(textParts('${A}${env:B}', undefined)).toEqual(['${A}${env:B}'])
  })

  it.each(['claude-desktop', 'claude-code', 'vscode', 'cursor'] as const)('loses nothing of a text of %s', (form) => {
    const piece = fc.constantFrom('${', '}', 'env:', 'input:', 'A', ':-', '$', '/', 'userHome', ' ')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const parts = textParts(pieces.join(''), origin(form))
        expect(parts.map((part) => (typeof part === 'string' ? part : part.written)).join('')).toBe(pieces.join(''))
        expect(parts.includes('')).toBe(false)
      }),
    )
  })

  it('gives nothing for the empty text', () => {
    expect(textParts('', origin('vscode'))).toEqual([])
  })

  it.each(['${A:-', '${', '${env:'])('takes time in proportion to a text of many %j', (piece) => {
    const time = (size: number): number => {
      const runs = [1, 2, 3].map(() => {
        const start = performance.now()
        textParts(`${piece.repeat(size)}}`, origin('claude-code'))
        textParts(piece.repeat(size), origin('vscode'))
        return performance.now() - start
      })
      return Math.min(...runs)
    }
    time(20_000)
    expect(time(160_000) / time(20_000)).toBeLessThan(32)
  })
})

describe('wordParts()', () => {
  it('takes ~ for the home folder where VS Code does', () => {
    expect(showParts(wordParts('~/x', origin('vscode')))).toBe('/home/me/x')
    expect(showParts(wordParts('~', origin('vscode')))).toBe('/home/me')
    expect(showParts(wordParts('~you', origin('vscode')))).toBe('~you')
    expect(showParts(wordParts('~/x', origin('claude-code')))).toBe('~/x')
  })
})

describe('showParts()', () => {
  it('fills in folders and no values', () => {
    const parts = textParts('${workspaceFolder}/x --token=${env:TOKEN}', origin('cursor'))
    expect(showParts(parts)).toBe('/w/app/x --token=${env:TOKEN}')
  })
})
