import { files } from '../providers/files/index.ts'
import type { Provider } from '../library/index.ts'
import { UsageError } from './output.ts'

/** A `<source>` of the command line, taken apart. */
export interface Source {
  /** The name before `=`, if there is one. */
  readonly name?: string
  readonly path: string
}

export interface SourceOptions {
  readonly hidden: boolean
  readonly ignore: boolean
}

/** `name=` counts only in this form; any other `=` belongs to the path. */
const NAMED = /^([A-Za-z0-9][A-Za-z0-9._-]*)=(.*)$/s

export function parseSource(text: string): Source {
  const match = NAMED.exec(text)
  const path = match?.[2] ?? text
  if (path === '') throw new UsageError(`The source ${JSON.stringify(text)} names no folder`)
  return match?.[1] === undefined ? { path } : { name: match[1], path }
}

/** The Provider of a source. Does not touch the disk: that happens when the Library starts. */
export function openSource(source: Source, options: SourceOptions): Provider {
  return files({
    root: source.path,
    hidden: options.hidden,
    ignore: options.ignore,
    ...(source.name !== undefined && { name: source.name }),
  })
}
