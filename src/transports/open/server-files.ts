import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { configHome } from '../../user-files/index.ts'
import type { ServerFileForm } from './server-entry.ts'
import type { FileSection } from './read-servers.ts'

/** Where servers are looked for by name. */
export interface ServerFilesOptions {
  /** The working folder: its project files count, and commands are started in it. Default: that of the process. */
  readonly cwd?: string
  /** The user's home folder. Default: that of the system. */
  readonly home?: string
  /** These files, in this order, instead of those of the hosts. One that is absent or cannot be read is an error. */
  readonly files?: readonly string[]
  /** Environment variables: `XDG_CONFIG_HOME`, `APPDATA`, and those that servers name. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Default: `process.platform`. */
  readonly platform?: NodeJS.Platform
}

/** A file, or a part of one, that servers are looked for in. */
export interface ServerFile {
  readonly file: string
  readonly form: ServerFileForm
  readonly scope: 'project' | 'user'
  readonly section: FileSection
  /** `${workspaceFolder}` in it. */
  readonly folder: string
}

/** The options with their defaults. */
export interface ServerPlaces {
  readonly cwd: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether the files were given by path. */
  readonly given: boolean
  readonly files: readonly ServerFile[]
}

/**
 * The files that hosts keep servers in, first the project's, then the user's: what `~/.claude.json` keeps for this
 * folder, `.mcp.json`, `.vscode/mcp.json`, `.cursor/mcp.json`, then `~/.claude.json`, `~/.cursor/mcp.json`, and those of
 * VS Code and Claude Desktop in the folder for configuration of the system. Only the working folder's own files count,
 * not those of the folders above it.
 */
export function serverPlaces(options: ServerFilesOptions = {}): ServerPlaces {
  const { cwd = process.cwd(), home = homedir(), env = process.env, platform = process.platform, files } = options
  const folder = resolve(cwd)
  const system = systemFolder(home, env, platform)
  const user = (file: string, form: ServerFileForm, section: FileSection = 'all'): ServerFile => {
    return { file, form, scope: 'user', section, folder }
  }
  const users: readonly ServerFile[] = [
    user(join(home, '.claude.json'), 'claude-code', 'local'),
    user(join(home, '.claude.json'), 'claude-code'),
    user(join(home, '.cursor/mcp.json'), 'cursor'),
    user(join(system, 'Code/User/mcp.json'), 'vscode'),
    user(join(system, 'Claude/claude_desktop_config.json'), 'claude-desktop'),
  ]
  const project = (file: string): ServerFile[] => {
    const own = users.filter((one) => one.file === file)
    return own.length > 0 ? own : [{ file, form: formOf(file), scope: 'project', section: 'all', folder: projectFolder(file) }]
  }
  if (files !== undefined) {
    return { cwd: folder, home, env, given: true, files: files.flatMap((file) => project(resolve(folder, file))) }
  }
  const [local, ...others] = users
  const found = [
    ...(local === undefined ? [] : [local]),
    ...['.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json'].flatMap((name) => project(join(folder, name))),
    ...others,
  ]
  // In the home folder a file of the project can be one of the user's.
  const once = found.filter(
    (one, at) => found.findIndex((other) => other.file === one.file && other.section === one.section) === at,
  )
  return { cwd: folder, home, env, given: false, files: once }
}

/** The form of a file by the name that hosts give it; Claude Code's is the most general. */
function formOf(file: string): ServerFileForm {
  const folder = basename(dirname(file))
  if (basename(file) === 'claude_desktop_config.json') return 'claude-desktop'
  if (folder === '.vscode') return 'vscode'
  return folder === '.cursor' ? 'cursor' : 'claude-code'
}

/** The folder that holds `.mcp.json`, or `.vscode` or `.cursor`. */
function projectFolder(file: string): string {
  const folder = dirname(file)
  return ['.vscode', '.cursor'].includes(basename(folder)) ? dirname(folder) : folder
}

/** Where programs of this system keep their configuration: "Profiles", VS Code docs; "Connect to local MCP servers", MCP docs. */
function systemFolder(home: string, env: ServerPlaces['env'], platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(home, 'Library/Application Support')
  if (platform === 'win32') return env.APPDATA ?? join(home, 'AppData/Roaming')
  return configHome(env, home)
}
