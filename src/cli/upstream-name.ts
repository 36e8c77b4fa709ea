import { splitCommand } from '../transports/open/index.ts'

/** Programs that start another, which is what a server is known by. */
const STARTERS = new Set([
  'node',
  'npx',
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'bunx',
  'deno',
  'tsx',
  'python',
  'python3',
  'uv',
  'uvx',
  'pipx',
  'docker',
  'env',
  'exec',
  'run',
  'dlx',
  'sh',
  'bash',
])

/** What a server is called in URIs unless it is said: by its host, its name in an mcp.json, or the program it is. */
export function upstreamName(server: string): string {
  if (/^https?:\/\//i.test(server)) return machineName(new URL(server).hostname) || 'server'
  if (server.startsWith('@')) return machineName(server.slice(1)) || 'server'
  const words = splitCommand(server).filter((word) => !word.startsWith('-') && !word.includes('='))
  const program = words.find((word) => !STARTERS.has(baseName(word))) ?? words[0] ?? ''
  return machineName(baseName(program)) || 'server'
}

/** Parts of a path that say nothing of what is there. */
const NAMELESS = /^(?:index|main|server|cli|app|dist|build|bin|src|lib|out|node_modules|\.{0,2})$/i

/** The last part of a path or package that says something, without version and extension. */
function baseName(word: string): string {
  const parts = word.split(/[/\\]/).map(withoutExtension)
  return parts.findLast((part) => !NAMELESS.test(part)) ?? parts.at(-1) ?? ''
}

function withoutExtension(part: string): string {
  return part.replace(/(?<=.)@.*$/, '').replace(/\.(?:[cm]?[jt]s|py|exe|cmd|sh)$/i, '')
}

/** Text as names of servers are: what does not fit becomes `-`, or is left out at the ends; empty where nothing fits. */
export function machineName(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^[^a-z]+|[.-]+$/g, '')
}
