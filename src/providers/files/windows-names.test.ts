import { describe, expect, it } from 'vitest'
import { isOddWindowsName } from './windows-names.ts'

describe('isOddWindowsName()', () => {
  it.each([
    'CON',
    'con',
    'nul.txt',
    'NUL',
    'PRN',
    'AUX',
    'aux.c',
    'COM1',
    'com9.log',
    'COM\u00b9',
    'LPT1',
    'lpt\u00b3.x',
    'CONIN$',
    'CONOUT$',
    'con .txt',
    'a.txt:stream',
    'a.txt::$DATA',
    'C:x',
    'C:',
    'a.',
    'a ',
    '...',
    'PROGRA~1',
    'GIT~1',
    'LONGNA~2.TXT',
    'a?b',
    'a*b',
    'a<b',
    'a>b',
    'a|b',
    'a"b',
    'a\\b',
    'a/b',
    'a\tb',
    '',
    '.',
    '..',
  ])('isOddWindowsName(%j) is true', (name) => {
    expect(isOddWindowsName(name)).toBe(true)
  })
  it.each([
    'a.txt',
    'console',
    'com10',
    'null',
    'auxiliary.c',
    '.gitignore',
    'a b',
    '~tilde',
    'backup~',
    'my~file.text',
    'é',
    '日本',
  ])('isOddWindowsName(%j) is false', (name) => {
    expect(isOddWindowsName(name)).toBe(false)
  })
})
