import { resolve } from 'node:path'

/** @param {string} word one argument of a shell command */
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/**
 * A folder by its absolute path, since hosts start commands elsewhere; other sources (`git:`) as they stand.
 * @param {string} source
 */
const lasting = (source) => {
  const [, name = '', path = source] = /^([A-Za-z0-9][\w.-]*=)(.+)$/s.exec(source) ?? []
  return /^[a-z+]+:/.test(path) ? source : name + resolve(path)
}

/**
 * How to connect the usual hosts to what is served now: by URL, and for Claude Desktop, which takes commands only, by
 * the command that serves the same over stdio. It names Node and the program, since `npm start` prints a banner on stdout.
 * @param {{ url: string, cli: string, sources: readonly string[], options: readonly string[] }} server
 */
export function connectHints({ url, cli, sources, options }) {
  const args = [cli, 'serve', ...sources.map(lasting), ...options]
  const desktop = { mcpServers: { shelfmark: { command: process.execPath, args } } }
  return `
Connect a host to ${url}

  Claude Code      claude mcp add --transport http shelfmark ${url}
  VS Code          .vscode/mcp.json  ${JSON.stringify({ servers: { shelfmark: { type: 'http', url } } })}
  Cursor           .cursor/mcp.json  ${JSON.stringify({ mcpServers: { shelfmark: { url } } })}
  Claude Desktop   takes a command only; in claude_desktop_config.json:
                   ${JSON.stringify(desktop)}

  Over stdio       ${['node', ...args].map(quoted).join(' ')}

Another folder or port: npm start -- ./folder --http 8080 (npm keeps what stands before --)
Stop with Ctrl+C.
`
}
