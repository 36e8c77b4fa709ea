import { basename, sep } from 'node:path'
import type { EntryOrigin, ServerFileForm } from './server-entry.ts'

/** A text of a configuration file, taken apart: plain text and what stands for something else. */
export type TextPart = string | VariablePart

export interface VariablePart {
  /** As it is written, `${env:TOKEN}`. */
  readonly written: string
  /** `never` needs a running editor. */
  readonly kind: 'env' | 'input' | 'folder' | 'never'
  /** The variable's or input's name; for a folder its path. */
  readonly name: string
  /** What stands for an environment variable that is not set. */
  readonly fallback?: string
}

type ReadVariable = (inner: string, origin: EntryOrigin) => Omit<VariablePart, 'written'> | undefined

/** `${VAR}` and `${VAR:-default}`: "Environment variable expansion in .mcp.json", Claude Code docs, Connect to tools via MCP. */
const readShellVariable: ReadVariable = (inner) => {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/.exec(inner)
  if (match?.[1] === undefined) return undefined
  return { kind: 'env', name: match[1], ...(match[2] !== undefined && { fallback: match[2] }) }
}

/** What VS Code knows and nobody else can: "Variables reference", VS Code docs. */
const EDITOR_ONLY =
  /^(?:(?:config|command|workspaceFolder):[\s\S]+|file|fileWorkspaceFolder|relativeFile|relativeFileDirname|fileBasename|fileBasenameNoExtension|fileExtname|fileDirname|fileDirnameBasename|lineNumber|columnNumber|selectedText|execPath|defaultBuildTask)$/

/**
 * `${env:NAME}`, `${input:id}` and folders: "MCP configuration reference" and "Variables reference", VS Code docs;
 * "Config interpolation", Cursor docs, Model Context Protocol. Both leave `${NAME}` as it is.
 */
const readEditorVariable: ReadVariable = (inner, { folder, home }) => {
  const match = /^(env|input):([\s\S]+)$/.exec(inner)
  if (match?.[2] !== undefined) return { kind: match[1] === 'env' ? 'env' : 'input', name: match[2] }
  if (inner === 'workspaceFolder' || inner === 'workspaceRoot' || inner === 'cwd') return { kind: 'folder', name: folder }
  if (inner === 'workspaceFolderBasename') return { kind: 'folder', name: basename(folder) }
  if (inner === 'userHome') return { kind: 'folder', name: home }
  if (inner === 'pathSeparator' || inner === '/') return { kind: 'folder', name: sep }
  return EDITOR_ONLY.test(inner) ? { kind: 'never', name: inner } : undefined
}

/** Claude Desktop fills in nothing: "Connect to local MCP servers", Model Context Protocol docs, shows plain values only. */
const READERS: Readonly<Record<ServerFileForm, ReadVariable>> = {
  'claude-desktop': () => undefined,
  'claude-code': readShellVariable,
  vscode: readEditorVariable,
  cursor: readEditorVariable,
}

/** Takes a text apart by the rules of its file. What is no variable there stays text, also `$VAR` and `${unknown}`. */
export function textParts(text: string, origin: EntryOrigin | undefined): TextPart[] {
  if (origin === undefined) return [text]
  const read = READERS[origin.form]
  const parts: TextPart[] = []
  let done = 0
  let end = -1
  for (let start = text.indexOf('${'); start >= 0; start = text.indexOf('${', Math.max(start + 2, done))) {
    // Looked for again only behind the last one, so that many openings with few ends take no square time.
    if (end < start) end = text.indexOf('}', start)
    if (end < 0) break
    const variable = read(text.slice(start + 2, end), origin)
    if (variable === undefined) continue
    if (start > done) parts.push(text.slice(done, start))
    done = end + 1
    parts.push({ written: text.slice(start, done), ...variable })
  }
  if (done < text.length) parts.push(text.slice(done))
  return parts
}

/** As `textParts`, for a command, an argument or a folder: there VS Code takes `~` for the home folder. */
export function wordParts(text: string, origin: EntryOrigin | undefined): TextPart[] {
  const parts = textParts(text, origin)
  if (origin?.form !== 'vscode' || !/^~(?:$|[/\\])/.test(text)) return parts
  const [first, ...others] = parts
  const rest = typeof first === 'string' ? first.slice(1) : ''
  return [{ written: '~', kind: 'folder', name: origin.home }, ...(rest === '' ? [] : [rest]), ...others]
}

/** Text for a person: folders filled in, all other variables as written, since their values may be secret. */
export function showParts(parts: readonly TextPart[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.kind === 'folder' ? part.name : part.written)).join('')
}
