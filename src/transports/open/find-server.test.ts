import { writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { findServer, listServers } from './find-server.ts'
import { serverPlaces } from './server-files.ts'

const server = (command: string) => JSON.stringify({ mcpServers: { docs: { command } } })

async function places(files: Record<string, string> = {}) {
  const { root } = await temporaryTree({ 'app/': '', 'home/': '', ...files })
  const options = { cwd: `${root}/app`, home: `${root}/home`, env: {}, platform: 'linux' as const }
  return { root, options }
}

describe('serverPlaces()', () => {
  const shown = (options: Parameters<typeof serverPlaces>[0]) =>
    serverPlaces(options).files.map(({ file, form, scope, section }) => `${scope} ${form} ${section} ${file}`)

  it("looks in the project's files first, then in the user's", () => {
    expect(shown({ cwd: '/w/app', home: '/home/me', env: {}, platform: 'linux' })).toEqual([
      'user claude-code local /home/me/.claude.json',
      'project claude-code all /w/app/.mcp.json',
      'project vscode all /w/app/.vscode/mcp.json',
      'project cursor all /w/app/.cursor/mcp.json',
      'user claude-code all /home/me/.claude.json',
      'user cursor all /home/me/.cursor/mcp.json',
      'user vscode all /home/me/.config/Code/User/mcp.json',
      'user claude-desktop all /home/me/.config/Claude/claude_desktop_config.json',
    ])
  })

  it('knows where the system keeps configuration', () => {
    expect(shown({ cwd: '/w', home: '/Users/me', env: {}, platform: 'darwin' }).slice(-1)).toEqual([
      'user claude-desktop all /Users/me/Library/Application Support/Claude/claude_desktop_config.json',
    ])
    expect(shown({ cwd: '/w', home: '/h', env: { APPDATA: '/h/Roaming' }, platform: 'win32' }).slice(-1)).toEqual([
      'user claude-desktop all /h/Roaming/Claude/claude_desktop_config.json',
    ])
    expect(shown({ cwd: '/w', home: '/h', env: { XDG_CONFIG_HOME: '/x' }, platform: 'linux' }).slice(-1)).toEqual([
      'user claude-desktop all /x/Claude/claude_desktop_config.json',
    ])
  })

  it('takes a file of the home folder for the one it is', () => {
    expect(shown({ cwd: '/h', home: '/h', env: {}, platform: 'linux' })).toEqual([
      'user claude-code local /h/.claude.json',
      'project claude-code all /h/.mcp.json',
      'project vscode all /h/.vscode/mcp.json',
      'user cursor all /h/.cursor/mcp.json',
      'user claude-code all /h/.claude.json',
      'user vscode all /h/.config/Code/User/mcp.json',
      'user claude-desktop all /h/.config/Claude/claude_desktop_config.json',
    ])
  })

  it('takes files that are given for those of a project, unless they are the user’s', () => {
    const files = ['team.json', '.vscode/mcp.json', '/h/.cursor/mcp.json']
    expect(shown({ cwd: '/w', home: '/h', env: {}, platform: 'linux', files })).toEqual([
      'project claude-code all /w/team.json',
      'project vscode all /w/.vscode/mcp.json',
      'user cursor all /h/.cursor/mcp.json',
    ])
  })
})

describe('findServer()', () => {
  it('takes the first file that has the name, and names both', async () => {
    const { root, options } = await places({
      'app/.mcp.json': server('project'),
      'home/.claude.json': server('user'),
      'home/.cursor/mcp.json': server('project'),
    })
    const warnings: string[] = []
    const found = await findServer('docs', { ...options, onWarning: (message) => warnings.push(message) })
    expect(found).toMatchObject({
      kind: 'stdio',
      command: 'project',
      file: `${root}/app/.mcp.json`,
      origin: { scope: 'project' },
    })
    expect(warnings[0]).toBe(
      `Server "docs" is in ${root}/app/.mcp.json, which is taken, and another in ${root}/home/.claude.json, which is not`,
    )
  })

  it('says nothing of a second server that is the same', async () => {
    const { options } = await places({ 'app/.mcp.json': server('same'), 'home/.claude.json': server('same') })
    const warnings: string[] = []
    await findServer('docs', { ...options, onWarning: (message) => warnings.push(message) })
    expect(warnings).toEqual([])
  })

  it('takes what Claude Code keeps for this folder alone before all others', async () => {
    const { root, options } = await places({ 'app/.mcp.json': server('project') })
    const local = { [`${root}/app`]: { mcpServers: { docs: { command: 'local' } } } }
    await writeFile(`${root}/home/.claude.json`, JSON.stringify({ projects: local }))
    expect(await findServer('docs', options)).toMatchObject({ command: 'local', origin: { scope: 'user' } })
  })

  it('says which names there are and where it looked', async () => {
    const { root, options } = await places({
      'app/.mcp.json': '{"mcpServers": {"a": {"command": "x"}, "odd": {}}}',
      'home/.cursor/mcp.json': '{"mcpServers": {"b c": {"url": "http://h/"}}}',
    })
    await expect(findServer('github', options)).rejects.toMatchObject({ code: 'invalid-option' })
    await expect(findServer('github', options)).rejects.toThrow(
      `There is no server "github". There are @a, @b c. Looked for in ${root}/home/.claude.json (absent), ${root}/app/.mcp.json, ` +
        `${root}/app/.vscode/mcp.json (absent), ${root}/app/.cursor/mcp.json (absent), ${root}/home/.cursor/mcp.json, ` +
        `${root}/home/.config/Code/User/mcp.json (absent), ${root}/home/.config/Claude/claude_desktop_config.json (absent)`,
    )
    await expect(findServer('odd', options)).rejects.toThrow(
      `${root}/app/.mcp.json: server "odd" is set aside: command is missing`,
    )
  })

  it('finds none of the names that objects have anyway', async () => {
    const { options } = await places({ 'app/.mcp.json': server('x') })
    await expect(findServer('__proto__', options)).rejects.toThrow('There is no server "__proto__"')
    await expect(findServer('toString', options)).rejects.toThrow('There is no server "toString"')
  })

  it('uses the other files when one is no JSON, and says so', async () => {
    const { root, options } = await places({ 'app/.mcp.json': '{\n  "mcpServers": oops\n}', 'home/.claude.json': server('user') })
    const warnings: string[] = []
    expect(await findServer('docs', { ...options, onWarning: (message) => warnings.push(message) })).toMatchObject({
      command: 'user',
    })
    expect(warnings).toEqual([`${root}/app/.mcp.json:2:17 is no JSON: a character is out of place`])
    await expect(findServer('x', options)).rejects.toThrow(`${root}/app/.mcp.json:2:17 is no JSON`)
  })

  it('fails for a given file that is absent or no JSON', async () => {
    const { root, options } = await places({ 'app/bad.json': '{' })
    await expect(findServer('x', { ...options, files: ['none.json'] })).rejects.toThrow(`${root}/app/none.json is not there`)
    await expect(findServer('x', { ...options, files: ['bad.json'] })).rejects.toThrow(`${root}/app/bad.json:1:2 is no JSON`)
  })

  it('reads files with a byte order mark and CRLF', async () => {
    const { options } = await places({ 'app/.mcp.json': `\ufeff${server('x').replaceAll(',', ',\r\n')}\r\n` })
    expect(await findServer('docs', options)).toMatchObject({ command: 'x' })
  })
})

describe('listServers()', () => {
  it('lists all with where they are, and the files', async () => {
    const { root, options } = await places({
      'app/.mcp.json': server('project'),
      'app/.vscode/mcp.json': '{"servers": 1}',
      'app/.cursor/mcp.json': '[',
      'home/.claude.json': server('user'),
    })
    const { servers, files, warnings } = await listServers(options)
    expect(servers.map(({ entry, shadowedBy }) => [entry.name, entry.file, shadowedBy])).toEqual([
      ['docs', `${root}/app/.mcp.json`, undefined],
      ['docs', `${root}/home/.claude.json`, `${root}/app/.mcp.json`],
    ])
    expect(files.map(({ file, state }) => [file.slice(root.length), state])).toEqual([
      ['/home/.claude.json', 'read'],
      ['/app/.mcp.json', 'read'],
      ['/app/.vscode/mcp.json', 'read'],
      ['/app/.cursor/mcp.json', 'unreadable'],
      ['/home/.cursor/mcp.json', 'absent'],
      ['/home/.config/Code/User/mcp.json', 'absent'],
      ['/home/.config/Claude/claude_desktop_config.json', 'absent'],
    ])
    expect(warnings.map(({ message }) => message)).toEqual([
      `${root}/app/.vscode/mcp.json: servers is no object of servers, and is ignored`,
    ])
  })

  it('reads a file of 5 MB with one server in it', async () => {
    const history = JSON.stringify(
      Array.from({ length: 50_000 }, (_, index) => ({ display: `prompt ${index} ${'x'.repeat(80)}` })),
    )
    const { options } = await places({ 'home/.claude.json': `{"history": ${history}, "mcpServers": {"a": {"command": "b"}}}` })
    expect(history.length).toBeGreaterThan(5_000_000)
    expect((await listServers(options)).servers.map(({ entry }) => entry.name)).toEqual(['a'])
  })
})
