import { describe, expect, it } from 'vitest'
import { relativeWithin } from './containment.ts'

describe('relativeWithin()', () => {
  it.each([
    ['/srv/data', '/srv/data', ''],
    ['/srv/data', '/srv/data/', ''],
    ['/srv/data/', '/srv/data/a', 'a'],
    ['/srv/data', '/srv/data/a/b.md', 'a/b.md'],
    ['/', '/etc/passwd', 'etc/passwd'],
    ['/srv/data', '/srv/data/...', '...'],
    ['/srv/data', '/srv/data/a..b', 'a..b'],
    ['/srv/data', '/srv/data/a\\b', 'a\\b'],
    ['/srv/data', '/srv/data-evil/a', undefined],
    ['/srv/data', '/srv/data.bak/a', undefined],
    ['/srv/data', '/srv/dat', undefined],
    ['/srv/data', '/srv/Data/a', undefined],
    ['/srv/data', '/srv', undefined],
    ['/srv/data', '/srv/data/../x', undefined],
    ['/srv/data', '/srv/data/./x', undefined],
    ['/srv/data', 'srv/data/x', undefined],
    ['/srv/data', '(unreachable)/srv/data/x', undefined],
    ['/srv/data', '', undefined],
  ])('relativeWithin(%s, %s) on POSIX is %s', (root, path, expected) => {
    expect(relativeWithin(root, path, 'posix')).toBe(expected)
  })

  it.each([
    ['C:\\', 'C:\\Users\\me\\a.md', 'Users/me/a.md'],
    ['C:\\', 'c:/x', 'x'],
    ['C:', 'C:\\x', 'x'],
    ['c:\\Users\\me', 'C:\\USERS\\ME\\A.md', 'A.md'],
    ['C:\\Users\\me\\', 'C:\\Users\\me', ''],
    ['C:\\Users\\me', 'C:/Users/me/docs/', 'docs'],
    ['C:\\Users\\me', '\\\\?\\C:\\Users\\me\\x', 'x'],
    ['\\\\srv\\share', '//SRV/share/x', 'x'],
    ['\\\\srv\\share', '\\\\?\\UNC\\srv\\share\\x', 'x'],
    ['\\\\?\\C:\\Users\\me', 'c:/users/ME/x', 'x'],
    ['\\\\?\\UNC\\srv\\share\\', '\\\\SRV\\Share\\a\\b', 'a/b'],
    ['C:\\Users\\me', 'C:\\Users\\me\\\\x\\', 'x'],
    ['C:\\Users\\me', '\\\\?\\Volume{b75e2c83}\\Users\\me\\x', undefined],
    ['C:\\Users\\me', '\\\\?\\UNC\\C:\\Users\\me\\x', undefined],
    ['C:\\Users\\me', 'C:\\Users\\me\\.\\x', undefined],
    ['C:\\Users\\me', 'C:\\Users', undefined],
    ['C:\\Users\\me', '', undefined],
    ['C:\\Users\\me', 'C:\\Users\\me2\\a', undefined],
    ['C:\\Users\\me', 'D:\\Users\\me\\a', undefined],
    ['C:\\Users\\me', 'C:\\Users\\me\\..\\x', undefined],
    ['C:\\Users\\me', 'C:x', undefined],
    ['C:\\Users\\me', '\\Users\\me\\x', undefined],
    ['\\\\srv\\share', '\\\\srv\\share2\\x', undefined],
    ['\\\\srv\\share', '\\\\srv', undefined],
    ['C:\\', 'relative\\x', undefined],
  ])('relativeWithin(%s, %s) on Windows is %s', (root, path, expected) => {
    expect(relativeWithin(root, path, 'windows')).toBe(expected)
  })
})
