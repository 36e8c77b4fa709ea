import { existsSync } from 'node:fs'
import { files } from '../providers/files/index.ts'
import type { Provider } from '../library/index.ts'
import { say, UsageError } from './output.ts'

/** A `<source>` of the command line, taken apart. */
export interface Source {
  /** The name before `=`, if there is one. */
  readonly name?: string
  readonly path: string
}

export interface SourceOptions {
  readonly hidden: boolean
  readonly ignore: boolean
  /** Find changes by looking, and ask the system for nothing. */
  readonly poll: boolean
  readonly allowSecrets?: readonly string[]
  readonly anyRoot?: boolean
  readonly symlinks?: 'within-root' | 'deny'
  readonly denyHardlinks?: boolean
  readonly sameDevice?: boolean
}

const OF_FOLDERS = ['allowSecrets', 'anyRoot', 'symlinks', 'denyHardlinks', 'sameDevice'] as const

/** `name=` counts only in this form; any other `=` belongs to the path. */
const NAMED = /^([A-Za-z0-9][A-Za-z0-9._-]*)=(.*)$/s

export function parseSource(text: string): Source {
  const match = NAMED.exec(text)
  const path = match?.[2] ?? text
  if (path === '') throw new UsageError(`The source ${JSON.stringify(text)} names no folder`)
  return match?.[1] === undefined ? { path } : { name: match[1], path }
}

/** Before a server whose resources are a source. */
export const UPSTREAM = 'mcp:'

/** Whether a source is another server. */
export function isUpstream({ path }: Source): boolean {
  return path.startsWith(UPSTREAM)
}

/** Text that names another kind of data than a folder. */
const KIND = /^([a-z][a-z0-9+.-]+):/

/** The kind that a path names which is none of a folder, such as `git` of `git:./repo`. */
export function kindOf(path: string): string | undefined {
  return existsSync(path) ? undefined : KIND.exec(path)?.[1]
}

/** The Provider of a source. */
export function openSource(source: Source, options: SourceOptions): Provider {
  const kind = kindOf(source.path)
  if (kind !== undefined) {
    throw new UsageError(
      `${JSON.stringify(`${kind}:`)} is no kind of source: a source is a folder, for example ./docs, or mcp: and a server; write ./${source.path} for a folder of that name`,
    )
  }
  return files({
    root: source.path,
    hidden: options.hidden,
    ignore: options.ignore,
    poll: options.poll,
    ...Object.fromEntries(OF_FOLDERS.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]))),
    onWarning: say,
    ...(source.name !== undefined && { name: source.name }),
  })
}
