import { describe, expect, it } from 'vitest'
import { requestTarget } from './request-target.ts'

describe('requestTarget()', () => {
  it.each([
    ['/mcp', 'a:1', 'a:1', '/mcp'],
    ['/mcp?x=1', 'a:1', 'a:1', '/mcp'],
    ['http://b:2/mcp?x', 'a:1', 'b:2', '/mcp'],
    ['HTTP://b:2', 'a:1', 'b:2', '/'],
    ['http:///mcp', 'a:1', '', '/mcp'],
    ['http://user@b/mcp', 'a:1', 'user@b', '/mcp'],
    ['*', 'a:1', 'a:1', '*'],
    ['ftp://b/mcp', 'a:1', 'a:1', 'ftp://b/mcp'],
  ])('%s with Host %s is for %s, %s', (url, header, host, path) => {
    expect(requestTarget(url, header)).toEqual({ host, path })
  })
})
