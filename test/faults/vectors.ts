import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** Said by the tests that need them, where they are absent. */
export const WHERE = 'skipped where shared/vectors is absent; SHELFMARK_VECTORS names another place'

const root = new URL('../../', import.meta.url)
const given = process.env['SHELFMARK_VECTORS']
const places = [
  ...(given === undefined ? [] : [pathToFileURL(`${given}/`)]),
  new URL('shared/vectors/', root),
  new URL('../shared/vectors/', root),
]

function place(path: string): URL | undefined {
  return places.map((folder) => new URL(path, folder)).find((url) => existsSync(url))
}

export interface JsonVector {
  /** Begins with `y_` for JSON, `n_` for what is none, `i_` for what may be. */
  readonly name: string
  readonly bytes: Buffer
}

/** Files of the JSON parsing suite; undefined where they are absent. */
export function jsonVectors(): readonly JsonVector[] | undefined {
  const folder = place('json/test_parsing/')
  if (folder === undefined) return undefined
  return readdirSync(folder)
    .toSorted()
    .map((name) => ({ name, bytes: readFileSync(new URL(encodeURIComponent(name), folder)) }))
}

/** The list of naughty strings; undefined where it is absent. */
export function naughtyStrings(): readonly string[] | undefined {
  const file = place('strings/blns.json')
  return file && (JSON.parse(readFileSync(file, 'utf8')) as readonly string[])
}
