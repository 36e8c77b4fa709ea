// oxlint-disable no-template-curly-in-string -- variables of configuration files
import { describe, expect, it } from 'vitest'
import { readServers } from './read-servers.ts'
import type { EntryOrigin } from './server-entry.ts'

const FILE = '/w/app/.mcp.json'

function read(text: string, form: EntryOrigin['form'] = 'claude-code', section: 'all' | 'local' = 'all') {
  const { entries, warnings } = readServers(text, FILE, { scope: 'project', form, folder: '/w/app', home: '/home/me' }, section)
  return {
    servers: entries.map(({ origin: _origin, file: _file, ...rest }) => rest),
    warnings: warnings.map(({ message }) => message),
    inputs: entries[0]?.origin?.inputs,
  }
}

describe('readServers()', () => {
  it('reads claude_desktop_config.json', () => {
    const text = `{
      "globalShortcut": "Ctrl+Space",
      "mcpServers": {
        "filesystem": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"] },
        "brave": { "command": "npx", "args": ["-y", "server-brave"], "env": { "BRAVE_API_KEY": "key" } }
      }
    }`
    expect(read(text, 'claude-desktop')).toEqual({
      servers: [
        {
          name: 'filesystem',
          kind: 'stdio',
          command: 'npx',
          args: ['-y', '@modelcontextprotocol/server-filesystem', '/Users/me/Desktop'],
          env: {},
        },
        { name: 'brave', kind: 'stdio', command: 'npx', args: ['-y', 'server-brave'], env: { BRAVE_API_KEY: 'key' } },
      ],
      warnings: [],
      inputs: [],
    })
  })

  it('reads .mcp.json of Claude Code', () => {
    const text = `{
      "mcpServers": {
        "api": { "type": "http", "url": "\${API_URL:-https://api.example.com}/mcp", "headers": { "Authorization": "Bearer \${KEY}" } },
        "old": { "type": "sse", "url": "https://example.com/sse" },
        "spec": { "type": "streamable-http", "url": "https://example.com/mcp" },
        "db": { "type": "stdio", "command": "uvx", "args": ["db"], "env": { "PORT": 5432 }, "timeout": 5, "alwaysLoad": true }
      }
    }`
    expect(read(text)).toEqual({
      servers: [
        {
          name: 'api',
          kind: 'http',
          url: '${API_URL:-https://api.example.com}/mcp',
          headers: { Authorization: 'Bearer ${KEY}' },
        },
        { name: 'old', kind: 'sse', url: 'https://example.com/sse', headers: {} },
        { name: 'spec', kind: 'http', url: 'https://example.com/mcp', headers: {} },
        { name: 'db', kind: 'stdio', command: 'uvx', args: ['db'], env: { PORT: '5432' } },
      ],
      warnings: [],
      inputs: [],
    })
  })

  it('reads ~/.claude.json, all of it or what it keeps for one folder', () => {
    const text = `{
      "numStartups": 5,
      "projects": {
        "/w/app": { "history": [], "mcpServers": { "local": { "type": "stdio", "command": "a" } } },
        "/w/other": { "mcpServers": { "hidden": { "command": "b" } } }
      },
      "mcpServers": { "global": { "command": "c" } }
    }`
    expect(read(text).servers.map(({ name }) => name)).toEqual(['global'])
    expect(read(text, 'claude-code', 'local').servers.map(({ name }) => name)).toEqual(['local'])
    expect(read('{"projects": {"/w/other": {}}}', 'claude-code', 'local').servers).toEqual([])
  })

  it('reads .vscode/mcp.json with comments, trailing commas and inputs', () => {
    const text = `{
      // asked for once
      "inputs": [
        { "type": "promptString", "id": "key", "description": "API key", "password": true },
        { "type": "pickString", "id": "level", "options": ["a", "b"], "default": "a" },
        { "type": "promptString" }, 7,
      ],
      "servers": {
        "perplexity": {
          "type": "stdio", "command": "npx", "args": ["-y", "server-perplexity-ask"],
          "env": { "KEY": "\${input:key}", "HTTP_PROXY": null },
          "envFile": "\${workspaceFolder}/.env", "cwd": "\${workspaceFolder}", "dev": { "watch": "src/**" },
        },
        "context7": { "url": "https://mcp.context7.com/mcp" }, /* no type */
      },
    }`
    expect(read(text, 'vscode')).toEqual({
      servers: [
        {
          name: 'perplexity',
          kind: 'stdio',
          command: 'npx',
          args: ['-y', 'server-perplexity-ask'],
          env: { KEY: '${input:key}', HTTP_PROXY: null },
          envFile: '${workspaceFolder}/.env',
          cwd: '${workspaceFolder}',
        },
        { name: 'context7', kind: 'http', url: 'https://mcp.context7.com/mcp', headers: {} },
      ],
      warnings: [],
      inputs: [
        { id: 'key', description: 'API key', password: true },
        { id: 'level', default: 'a', password: false },
      ],
    })
  })

  it('reads .cursor/mcp.json', () => {
    const text = `{ "mcpServers": {
      "local": { "command": "python", "args": ["\${workspaceFolder}/tools/mcp_server.py"], "env": { "API_KEY": "\${env:API_KEY}" }, "envFile": ".env" },
      "remote": { "url": "https://api.example.com/mcp", "headers": { "Authorization": "Bearer \${env:TOKEN}" } }
    } }`
    expect(read(text, 'cursor').servers).toEqual([
      {
        name: 'local',
        kind: 'stdio',
        command: 'python',
        args: ['${workspaceFolder}/tools/mcp_server.py'],
        env: { API_KEY: '${env:API_KEY}' },
        envFile: '.env',
      },
      { name: 'remote', kind: 'http', url: 'https://api.example.com/mcp', headers: { Authorization: 'Bearer ${env:TOKEN}' } },
    ])
  })

  it("gives a file of any name VS Code's variables when it has VS Code's form", () => {
    const { entries } = readServers('{"servers": {"a": {"command": "x"}}}', FILE, {
      scope: 'project',
      form: 'claude-code',
      folder: '/w/app',
      home: '/home/me',
    })
    expect(entries[0]?.origin?.form).toBe('vscode')
  })

  it.each([
    ['{}', 'command is missing'],
    ['{"command": ""}', 'command is missing'],
    ['{"command": 7}', 'command is no string'],
    ['{"command": "x", "args": "--flag"}', 'args is no list'],
    ['{"command": "x", "args": ["a", 1]}', 'args[1] is no string'],
    ['{"command": "x", "env": []}', 'env is no object'],
    ['{"command": "x", "env": {"A": true}}', 'env.A is no string'],
    ['{"command": "x", "env": {"A=B": "c"}}', 'env.A=B is no name of an environment variable'],
    ['{"command": "x", "args": ["a\\u0000"]}', 'a text has a NUL character, which no process can be given'],
    ['{"command": "x", "cwd": 1}', 'cwd is no string'],
    ['{"command": "x", "url": "http://h/"}', 'it has a command and a url, and type does not say which counts'],
    ['{"type": "http"}', 'url is missing'],
    ['{"type": "ws", "url": "wss://h/"}', 'type "ws" is not known'],
    ['{"type": 1, "url": "http://h/"}', 'type is no string'],
    ['{"url": "unix:///tmp/s.sock"}', 'url does not begin with http:// or https://'],
    ['{"url": "file:///etc/passwd"}', 'url does not begin with http:// or https://'],
    ['{"url": "http://h/", "headers": {"X": null}}', 'headers.X is no string'],
    ['[]', 'it is no object'],
    ['"node server.js"', 'it is no object'],
    ['null', 'it is no object'],
  ])('sets %s aside and keeps the rest', (server, why) => {
    const { servers, warnings } = read(
      `{"mcpServers": {"good": {"command": "a"}, "odd": ${server}, "last": {"url": "http://h/"}}}`,
    )
    expect(servers.map(({ name }) => name)).toEqual(['good', 'last'])
    expect(warnings).toEqual([`/w/app/.mcp.json: server "odd" is set aside: ${why}`])
  })

  it('sets names aside that cannot be seen, and shows them escaped', () => {
    const { servers, warnings } = read(
      '{"mcpServers": {"": {"command": "a"}, "a\\u001b[2K": {"command": "b"}, "x\\u202ey": {"command": "c"}}}',
    )
    expect(servers).toEqual([])
    expect(warnings).toEqual([
      '/w/app/.mcp.json: server "" is set aside: its name is empty or has characters that cannot be seen',
      '/w/app/.mcp.json: server "a\\u001b[2K" is set aside: its name is empty or has characters that cannot be seen',
      '/w/app/.mcp.json: server "x\\u202ey" is set aside: its name is empty or has characters that cannot be seen',
    ])
  })

  it('keeps names of prototypes as names', () => {
    const { servers } = read(
      '{"mcpServers": {"__proto__": {"command": "a", "env": {"__proto__": "x", "toString": "y"}}, "constructor": {"command": "b"}}}',
    )
    expect(servers.map(({ name }) => name)).toEqual(['__proto__', 'constructor'])
    const [first] = servers
    expect(first?.kind === 'stdio' && Object.entries(first.env)).toEqual([
      ['__proto__', 'x'],
      ['toString', 'y'],
    ])
    expect(({} as { x?: string }).x).toBeUndefined()
  })

  it('says when a name is there twice', () => {
    const { servers, warnings } = read('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}')
    expect(servers).toEqual([{ name: 'a', kind: 'stdio', command: 'y', args: [], env: {} }])
    expect(warnings).toEqual(['/w/app/.mcp.json: server "a" is there twice; the last one counts'])
  })

  it('ignores a file without servers, and says so of servers that are none', () => {
    expect(read('{"inputs": []}', 'vscode')).toEqual({ servers: [], warnings: [], inputs: undefined })
    expect(read('{"mcpServers": []}').warnings).toEqual(['/w/app/.mcp.json: mcpServers is no object of servers, and is ignored'])
  })

  it.each(['[]', '"x"', 'null', '7'])('refuses a file of %s', (text) => {
    expect(() => read(text)).toThrow('/w/app/.mcp.json holds no object of servers: wanted is {"mcpServers": {...}}')
  })
})
