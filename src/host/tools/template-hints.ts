import type { Call, Provider } from '../../library/index.ts'
import { within } from '../../library/index.ts'
import { templateVariables } from '../../uri/index.ts'
import { oneLine } from '../text/index.ts'

/** Values that are shown for a variable, and the most characters of one. */
const SHOWN = 5
const LONGEST = 60
/** Of a variable with so many values all of them are told, as an `enum`. */
export const MOST_VALUES = 25
/** How long values may take, in milliseconds: they are an extra. */
const WAIT_MS = 1_000
/** Variables that are asked for. */
const VARIABLES = 8

/** Values that a variable may have, as far as its server suggests any. */
export interface Suggested {
  readonly values: readonly string[]
  /** Whether these are all. */
  readonly isAll: boolean
}

const NONE: Suggested = { values: [], isAll: false }

/** What the server suggests for each of some variables. */
export async function suggest(
  data: Provider,
  template: string,
  names: readonly string[],
  call: Call,
): Promise<ReadonlyMap<string, Suggested>> {
  const suggested = await Promise.all(
    names.slice(0, VARIABLES).map(async (variable): Promise<readonly [string, Suggested]> => {
      if (data.complete === undefined) return [variable, NONE]
      try {
        const request = { template, variable, prefix: '', arguments: {}, limit: MOST_VALUES + 1 }
        const { values, total, hasMore } = await within(data.complete(request, call), WAIT_MS)
        const some = values.filter((value) => typeof value === 'string' && value.length <= LONGEST).slice(0, MOST_VALUES)
        const isAll = hasMore !== true && some.length === values.length && (total === undefined || total <= some.length)
        return [variable, { values: some, isAll }]
      } catch {
        return [variable, NONE]
      }
    }),
  )
  return new Map(suggested)
}

/** Examples of the values of each variable of a template, as text after its name. */
export async function hintsFor(data: Provider, template: string, call: Call): Promise<string> {
  const names = namesOf(template)
  const suggested = await suggest(data, template, names, call)
  const hints = names.flatMap((name) => {
    const text = examplesOf(suggested.get(name) ?? NONE)
    return text === '' ? [] : [`${oneLine(name, LONGEST)} is ${text}`]
  })
  return hints.length === 0 ? '' : `, where ${hints.join('; ')}`
}

export function examplesOf({ values, isAll }: Suggested): string {
  if (values.length === 0) return ''
  const shown = values.slice(0, SHOWN).map((value) => oneLine(value, LONGEST))
  const isWhole = isAll && shown.length === values.length
  return isWhole ? `one of ${shown.join(', ')}` : `for example ${shown.join(', ')}`
}

/** Names of variables; none for a template of another server that does not parse. */
function namesOf(template: string): readonly string[] {
  try {
    return templateVariables(template).map(({ name }) => name)
  } catch {
    return []
  }
}
