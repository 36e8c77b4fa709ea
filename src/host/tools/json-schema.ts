import { isObject } from '../../protocol/index.ts'
import { oneLine } from '../text/index.ts'

/** The part of JSON Schema that the arguments of tools need. */
export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: { readonly [name: string]: PropertySchema }
  readonly required: readonly string[]
  readonly additionalProperties: false
}

export type PropertySchema = { readonly description: string } & (
  | { readonly type: 'string'; readonly maxLength: number; readonly enum?: readonly string[] }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number; readonly default?: number }
  | { readonly type: 'array'; readonly items: { readonly type: 'string' }; readonly maxItems: number }
)

/** An object schema whose property names may be any, `__proto__` too. */
export function objectSchema(properties: Iterable<readonly [string, PropertySchema]>, required: readonly string[]): ObjectSchema {
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false }
}

/** The longest text of an argument, in UTF-16 units: that of a URI. */
export const LONGEST_TEXT = 8_192

/**
 * Arguments by name, or what is wrong with them in words for a model. Null for an optional one stands for its absence,
 * which strict modes of models cannot say otherwise. Values of an `enum` are suggestions, and are not insisted on.
 */
export function checkArguments(schema: ObjectSchema, given: unknown): ReadonlyMap<string, unknown> | string {
  if (given !== undefined && !isObject(given)) return `The arguments must be an object. ${wantedOf(schema)}`
  const args = new Map<string, unknown>()
  const faults: string[] = []
  for (const [name, value] of Object.entries(given ?? {})) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    const isRequired = schema.required.includes(name)
    if (property === undefined) faults.push(`there is no argument ${JSON.stringify(oneLine(name, 64))}`)
    else if (value !== null || isRequired) {
      const wanted = faultOf(property, value)
      if (wanted === undefined) args.set(name, value)
      else faults.push(`${name} must be ${wanted}`)
    }
  }
  for (const name of schema.required) if (!Object.hasOwn(given ?? {}, name)) faults.push(`${name} is missing`)
  if (faults.length === 0) return args
  return `Wrong arguments: ${faults.slice(0, 5).join('; ')}. ${wantedOf(schema)}`
}

/** What a value should be, if it is not. */
function faultOf(property: PropertySchema, value: unknown): string | undefined {
  switch (property.type) {
    case 'string':
      return typeof value === 'string' && value.length <= property.maxLength
        ? undefined
        : `a string of at most ${property.maxLength} characters`
    case 'integer': {
      const { minimum, maximum } = property
      const fits = typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum
      return fits ? undefined : `a whole number from ${minimum} to ${maximum}`
    }
    case 'array': {
      const fits =
        Array.isArray(value) &&
        value.length <= property.maxItems &&
        value.every((item: unknown) => typeof item === 'string' && item.length <= LONGEST_TEXT)
      return fits ? undefined : `an array of at most ${property.maxItems} strings`
    }
  }
}

function wantedOf({ properties, required }: ObjectSchema): string {
  const names = Object.entries(properties).map(
    ([name, { type }]) => `${name} (${type}${required.includes(name) ? '' : ', optional'})`,
  )
  return names.length === 0 ? 'This tool takes no arguments.' : `It takes ${names.join(', ')}.`
}
