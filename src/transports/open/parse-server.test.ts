// oxlint-disable no-template-curly-in-string -- variables of configuration files
import { describe, expect, it } from 'vitest'
import { showUrl } from './http-url.ts'
import { parseServer } from './parse-server.ts'
import type { ServerText } from './parse-server.ts'

const known = {
  prefixes: ['git:', 'sqlite:'],
  exists: (path: string) => ['./docs', 'node server.js', '@docs', 'mcp:x'].includes(path),
}

describe('parseServer()', () => {
  const cases: readonly (readonly [text: string, meaning: ServerText])[] = [
    ['http://127.0.0.1:7467/mcp', { kind: 'url', url: 'http://127.0.0.1:7467/mcp' }],
    [' HTTPS://Example.com/mcp?x=1 ', { kind: 'url', url: 'https://example.com/mcp?x=1' }],
    ['git:./repo', { kind: 'source', text: 'git:./repo' }],
    ['@github', { kind: 'name', name: 'github' }],
    ['@my server', { kind: 'name', name: 'my server' }],
    ['@docs', { kind: 'name', name: 'docs' }],
    ['./docs', { kind: 'source', text: './docs' }],
    ['node server.js', { kind: 'source', text: 'node server.js' }],
    [`node 'my server.js'`, { kind: 'command', argv: ['node', 'my server.js'] }],
    ['./absent', { kind: 'command', argv: ['./absent'] }],
    ['mcp:https://example.com/mcp', { kind: 'url', url: 'https://example.com/mcp' }],
    ['mcp:node server.js', { kind: 'command', argv: ['node', 'server.js'] }],
    ['mcp:@github', { kind: 'name', name: 'github' }],
    ['mcp:git:./repo', { kind: 'command', argv: ['git:./repo'] }],
    ['mcp:x', { kind: 'command', argv: ['x'] }],
    ['log:./x', { kind: 'command', argv: ['log:./x'] }],
  ]
  it.each(cases)('reads %j', (text, meaning) => {
    expect(parseServer(text, known)).toEqual(meaning)
  })

  it('takes nothing for a source when the caller knows none', () => {
    expect(parseServer('git:./repo')).toEqual({ kind: 'command', argv: ['git:./repo'] })
  })

  it.each([
    ['', 'The server is empty: give a URL, @name or a command'],
    ['mcp: ', 'The server is empty: give a URL, @name or a command'],
    ['@', '@ is followed by no name'],
    [`'' x`, `The command "'' x" begins with an empty word`],
    ['http://', 'The server has a URL that is not valid'],
    ['https://exa mple/', 'The server has a URL that is not valid'],
    ['"node', 'The command has a double quote without its partner at offset 0'],
  ])('refuses %j', (text, message) => {
    expect(() => parseServer(text, known)).toThrow(message)
  })

  it('refuses a URL with a password without showing it', () => {
    expect(() => parseServer('https://me:hunter2@example.com/mcp')).toThrow(
      /^The server has a user or password in its URL: give it as a header instead, Authorization: Basic ...$/,
    )
  })
})

describe('showUrl()', () => {
  it('hides what may be secret, and shows which variables are sent', () => {
    expect(showUrl('https://a:b@h/p?key=s3cret&to=${TOKEN}&x&=#y')).toBe('https://***@h/p?key=***&to=${TOKEN}&***&=#y')
    expect(showUrl('${URL}/mcp')).toBe('${URL}/mcp')
    expect(showUrl('http://h/@a')).toBe('http://h/@a')
  })

  it.each(['?', '&', '${', 'http://@', '='])('takes time in proportion to a URL of many %j', (piece) => {
    const time = (size: number): number => {
      const url = `http://h/?${piece.repeat(size)}`
      const runs = [1, 2, 3].map(() => {
        const start = performance.now()
        showUrl(url)
        return performance.now() - start
      })
      return Math.min(...runs)
    }
    time(20_000)
    expect(time(160_000) / time(20_000)).toBeLessThan(32)
  })
})
