/** Any value that JSON can carry. */
export type JsonValue = string | number | boolean | null | JsonObject | readonly JsonValue[]

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined
}

/** A decoded JSON object whose members have not been checked. */
export type UncheckedObject = { readonly [key: string]: unknown }

/** True for a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is UncheckedObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for an array whose items are all strings. */
export function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
