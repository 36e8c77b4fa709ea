import { dirname, resolve } from 'node:path'
import { ShelfError } from '../../errors.ts'
import type { FileSettings } from '../serve/given.ts'
import type { UnfitSettings } from '../serve/settings.ts'
import { kindsIn } from './kinds.ts'
import type { ConfigPath, Mistake } from './mistake.ts'
import { formatMistakes, Mistakes, pathText } from './mistake.ts'
import type { ParsedYaml } from './parse-yaml.ts'
import { parseYaml } from './parse-yaml.ts'
import type { Environment } from '../variable.ts'
import { readWhole } from './read-whole.ts'
import { schemaOf } from './schema.ts'

/** The largest file that is read. */
const MOST_BYTES = 1024 * 1024

/** A file that is well formed. */
export interface Config {
  readonly settings: FileSettings
  /** The error that says where in the file the settings are that cannot be used. */
  located(unfit: UnfitSettings): Error
}

/**
 * Reads a file of settings (docs/configuration.md).
 *
 * @throws ShelfError `invalid-option` with a line for each mistake: file, line, column, key, and what is wrong
 */
export function readConfig(path: string, environment: Environment): Config {
  let text: string
  try {
    ;({ text } = readWhole(path, MOST_BYTES))
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error))
  }
  return parseConfig(text, path, environment)
}

/** The same for a text; `path` is where it stands. */
export function parseConfig(text: string, path: string, environment: Environment): Config {
  try {
    const parsed = parseYaml(text)
    const secretFiles: string[] = []
    const folder = dirname(resolve(path))
    const kinds = kindsIn({ folder, environment, onSecretFile: (file) => secretFiles.push(file) })
    const { data, error } = schemaOf(kinds, folder).safeParse(parsed.value)
    if (error !== undefined) throw new Mistakes(mistakesOf(error.issues, parsed))
    const settings = { ...data, secretFiles }
    return { settings, located: (unfit) => located(unfit, settings, parsed, path) }
  } catch (error) {
    if (error instanceof Mistakes) throw invalid(formatMistakes(path, error))
    throw error
  }
}

interface Issue {
  readonly code?: string
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly keys?: readonly string[]
}

/** What the schema complains of. What lacks a key that was mistyped is not complained of twice. */
function mistakesOf(issues: readonly Issue[], parsed: ParsedYaml): readonly Mistake[] {
  const mistyped = issues.filter(({ code }) => code === UNKNOWN).map(({ path }) => pathText(pathOf(path)))
  return issues
    .filter(({ code, path }) => code === UNKNOWN || !mistyped.includes(pathText(pathOf(path))))
    .flatMap((issue) => mistakesIn(issue, parsed))
}

const UNKNOWN = 'unrecognized_keys'

function pathOf(keys: readonly PropertyKey[]): ConfigPath {
  return keys.map((key) => (typeof key === 'number' ? key : String(key)))
}

/** What one complaint of the schema says, of each key that it is about. */
function mistakesIn(
  { code, path: keys, message, keys: unknown = [] }: Issue,
  { placeOf, keyPlaceOf }: ParsedYaml,
): readonly Mistake[] {
  const path = pathOf(keys)
  if (code !== UNKNOWN) return [{ place: placeOf(path), path, message }]
  const messages = message.split('\n')
  return unknown.map((key, i) => ({ place: keyPlaceOf([...path, key]), path: [...path, key], message: messages[i] ?? message }))
}

/** Where the settings are that a folder, a name or an address does not go with. */
function located({ all }: UnfitSettings, { mounts = [] }: FileSettings, { placeOf }: ParsedYaml, path: string): Error {
  // Sources of the command line come after those of the file, and say by themselves which they are.
  const own = all.find(({ path: [key, at] }) => key === 'mounts' && typeof at === 'number' && at >= mounts.length)
  if (own !== undefined && own.error instanceof Error) return own.error
  const mistakes = all.map(({ path: where, error }) => ({ path: where, place: placeOf(where), message: messageOf(error) }))
  return invalid(formatMistakes(path, new Mistakes(mistakes)))
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function invalid(message: string): ShelfError {
  return new ShelfError('invalid-option', message, { option: 'config' })
}
