/** Variables by name. */
export type Environment = { readonly [name: string]: string | undefined }

/** A variable of the environment that says something. What every object has, such as `toString`, is none. */
export function variable(name: string, environment: Environment = process.env): string | undefined {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined
  return value === '' ? undefined : value
}
