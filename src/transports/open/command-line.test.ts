import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatCommand, showCommand, splitCommand } from './command-line.ts'

describe('splitCommand()', () => {
  const cases: readonly (readonly [text: string, argv: readonly string[]])[] = [
    ['node server.js', ['node', 'server.js']],
    ['  node \t server.js \n', ['node', 'server.js']],
    [`node 'my server.js' "a b"`, ['node', 'my server.js', 'a b']],
    [String.raw`node my\ server.js`, ['node', 'my server.js']],
    [`a'b'"c"d`, ['abcd']],
    [`x '' ""`, ['x', '', '']],
    [String.raw`echo "a\"b\\c\$d\n"`, ['echo', String.raw`a"b\c$d\n`]],
    [String.raw`echo 'a\b'`, ['echo', String.raw`a\b`]],
    ['echo $HOME `id` $(id) *.md ~ a|b ; & > x # y', 'echo $HOME `id` $(id) *.md ~ a|b ; & > x # y'.split(' ')],
    ['one\\\ntwo "three\\\nfour"', ['onetwo', 'threefour']],
    ['a\u00a0b', ['a\u00a0b']],
    ['', []],
    [' \n', []],
  ]
  it.each(cases)('splits %j', (text, argv) => {
    expect(splitCommand(text)).toEqual(argv)
  })

  it.each([
    [`node 'a b`, 'The command has a single quote without its partner at offset 5'],
    [`node "a 'b'`, 'The command has a double quote without its partner at offset 5'],
    ['node a\\', 'The command ends in a backslash that escapes nothing at offset 6'],
    ['"a\\"', 'The command has a double quote without its partner at offset 0'],
    ['node a\0b', 'The command has a NUL character at offset 6'],
    [`node 'a\0b'`, 'The command has a NUL character at offset 7'],
    ['node "a\0b"', 'The command has a NUL character at offset 7'],
    ['node \\\0', 'The command has a NUL character at offset 6'],
  ])('refuses %j', (text, message) => {
    expect(() => splitCommand(text)).toThrow(message)
  })

  it('is undone by formatCommand(), whatever the words hold', () => {
    const word = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom("'", '"', '\\', ' ', '\n', '\t', '$', '`', 'a') }),
    )
    fc.assert(
      fc.property(fc.array(word.map((text) => text.replaceAll('\0', ''))), (argv) => {
        expect(splitCommand(formatCommand(argv))).toEqual(argv)
      }),
      { numRuns: 1_000 },
    )
  })

  it('takes time in proportion to the text', () => {
    const time = (size: number): number => {
      const text = `${`'a'"b"\\c`.repeat(size)} d`
      const runs = [1, 2, 3].map(() => {
        const start = performance.now()
        splitCommand(text)
        return performance.now() - start
      })
      return Math.min(...runs)
    }
    time(20_000)
    expect(time(160_000) / time(20_000)).toBeLessThan(32)
  })
})

describe('formatCommand()', () => {
  it('quotes only what needs it', () => {
    expect(formatCommand(['npx', '-y', '@scope/server@1.2', '/a b', "it's", '', '$x'])).toBe(
      String.raw`npx -y @scope/server@1.2 '/a b' 'it'\''s' '' '$x'`,
    )
  })
})

describe('showCommand()', () => {
  it('puts nothing on a line of its own and hides nothing', () => {
    expect(showCommand(['sh', '-c', "true\nrm '\u202e\u001b[2K\u{e0041}\u{1f600}", 'a\\b'])).toBe(
      String.raw`sh -c $'true\nrm \'\u202e\u001b[2K\U000e0041\u{1f600}' 'a\b'`.replace(String.raw`\u{1f600}`, '\u{1f600}'),
    )
  })

  it.skipIf(process.platform !== 'linux')('is what bash reads back', () => {
    const words = ['a b', "it's\n\t\u001b\u202e\u{e0041}", '$HOME', '\\', '']
    const printed = execFileSync('bash', ['--norc', '-c', `printf '%s\\0' ${showCommand(words)}`], {
      env: { LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(printed.toString().split('\0').slice(0, -1)).toEqual(words)
  })
})
