import { readFileSync } from 'node:fs'

/** The version of this package; its description stands two folders up, from the sources as from the bundle. */
export const VERSION: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version
