import { ShelfError } from '../errors.ts'
import { expandTemplate, templateVariables } from '../uri/index.ts'
import { UsageError } from './output.ts'

/** `name=value` of each `--var`; of a name that is given twice, the last. */
export function parseValues(texts: readonly string[]): { readonly [name: string]: string } {
  const values = new Map<string, string>()
  for (const text of texts) {
    const equals = text.indexOf('=')
    if (equals < 1) throw new UsageError(`--var takes name=value, got ${JSON.stringify(text)}`)
    values.set(text.slice(0, equals), text.slice(equals + 1))
  }
  return Object.fromEntries(values)
}

/**
 * The URI that a template gives with these values; text without braces, and without values any text, is as it is. A name
 * that the template does not have is taken for a mistake.
 */
export function expandUri(text: string, values: { readonly [name: string]: string }): string {
  if (!/[{}]/.test(text) || Object.keys(values).length === 0) return text
  const names = templateVariables(text).map(({ name }) => name)
  const unknown = Object.keys(values).find((name) => !names.includes(name))
  if (unknown === undefined) return expandTemplate(text, values)
  throw new UsageError(`The template ${text} has no variable ${unknown}; it has ${names.join(', ')}`)
}

/** The names of the variables of a template; undefined for text that is none, or none that can be understood here. */
export function variablesOf(text: string): readonly string[] | undefined {
  try {
    return /[{}]/.test(text) ? templateVariables(text).map(({ name }) => name) : undefined
  } catch {
    return undefined
  }
}

/** What is not found because it is a template, or the name of a file, said so. */
export function uriHint(uri: string, error: unknown): unknown {
  if (!ShelfError.is(error, 'not-found')) return error
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uri)) {
    const what = 'a URI begins with a scheme, as file:///docs/guide.md, and `shelfmark ls` shows those there are'
    return new Error(`Not found: ${uri}; ${what}`, { cause: error })
  }
  const names = variablesOf(uri)
  if (names === undefined) return error
  const values = names.map((name) => `--var ${name}=...`).join(' ')
  return new Error(`Not found: ${uri}; it is a template, so give its variables: ${values}`, { cause: error })
}
