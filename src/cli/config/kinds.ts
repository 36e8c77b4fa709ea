import * as z from 'zod'
import { resolve } from 'node:path'
import { closest } from '../closest.ts'
import { readSecret } from './read-secret.ts'
import type { Environment } from '../variable.ts'
import { parseDuration, parseSize } from '../units.ts'

/** What values of a file are made of; each says what it wants where it gets something else. */
export interface Kinds {
  readonly text: () => z.ZodType<string>
  readonly flag: () => z.ZodType<boolean>
  /** A whole number. */
  readonly count: (least?: number) => z.ZodType<number>
  /** Any number above zero. */
  readonly amount: () => z.ZodType<number>
  /** In bytes. */
  readonly size: () => z.ZodType<number>
  /** In milliseconds. */
  readonly duration: () => z.ZodType<number>
  readonly oneOf: <const T extends string>(words: readonly T[]) => z.ZodType<T>
  readonly list: <T>(of: z.ZodType<T>) => z.ZodType<readonly T[]>
  /** One or several. */
  readonly some: <T>(of: z.ZodType<T>) => z.ZodType<readonly T[]>
  /** Anything; whoever takes it says what is wrong with it. */
  readonly any: () => z.ZodType
  /** Keys with their values; any other key is a mistake. */
  readonly object: <const S extends Shape>(shape: S) => z.ZodType<ObjectOf<S>>
  /** Another value, unless `take` throws, which says why not. */
  readonly taken: <T, U>(of: z.ZodType<T>, take: (value: T) => U) => z.ZodType<U>
  /** Another way of writing it, which is put into the usual one. */
  readonly written: <T>(of: z.ZodType<T>, as: (value: unknown) => unknown) => z.ZodType<T>
  readonly optional: <T>(of: z.ZodType<T>) => Optional<T>
  /** `false` takes away what is there otherwise. */
  readonly orOff: <T>(of: z.ZodType<T>) => z.ZodType<T | false>
  /** A path, taken from the folder of the file. */
  readonly path: () => z.ZodType<string>
  /** Where a secret is kept: `env:NAME` or `file:path`, and never the secret itself. Becomes the secret. */
  readonly secret: (least?: number) => z.ZodType<string>
}

/** Where values of a file come from that are not in it. */
export interface Surroundings {
  /** Its folder. */
  readonly folder: string
  readonly environment: Environment
  /** Told of each file of a secret. */
  readonly onSecretFile: (path: string) => void
}

/** A key that may be left out. */
export type Optional<T> = z.ZodExactOptional<z.ZodType<T>>

export type Shape = Readonly<Record<string, z.ZodType>>

export type ObjectOf<S extends Shape> = z.output<z.ZodObject<S>>

type Wants = (issue: { readonly code?: string; readonly input?: unknown }) => string

function wants(what: string): Wants {
  return ({ code, input }) =>
    code === 'invalid_type' && input === undefined ? 'is missing' : `wants ${what}, got ${shown(input)}`
}

const LONGEST_SHOWN = 60

/** What came, in few characters. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'keys and values'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}...` : text
}

function amountOf(what: string, parse: (value: number | string) => number | undefined): z.ZodType<number> {
  return z.union([z.number(), z.string()], { error: wants(what) }).transform((value, context) => {
    const amount = parse(value)
    if (amount !== undefined) return amount
    context.addIssue({ code: 'custom', message: `wants ${what}, got ${shown(value)}` })
    return z.NEVER
  })
}

function object<const S extends Shape>(shape: S): z.ZodType<ObjectOf<S>> {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    // A line for each key, as `mistakesIn` takes them apart.
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownKey(key, known)).join('\n')
        : wants(`the keys ${known.join(', ')}`)(issue),
  }) as z.ZodType<ObjectOf<S>>
}

function unknownKey(key: string, known: readonly string[]): string {
  const meant = closest(key, known)
  return meant === undefined
    ? `there is no such key; there are ${known.join(', ')}`
    : `there is no such key; did you mean ${meant}?`
}

const text = (): z.ZodType<string> => z.string({ error: wants('text') }).min(1, { error: wants('text') })

const count = (least = 1): z.ZodType<number> => {
  const error = wants(`a whole number from ${least} on`)
  return z.int({ error }).min(least, { error })
}

const list = <T>(of: z.ZodType<T>): z.ZodType<readonly T[]> => z.array(of, { error: wants('a list') })

const written = <T>(of: z.ZodType<T>, as: (value: unknown) => unknown): z.ZodType<T> => z.preprocess(as, of)

const taken = <T, U>(of: z.ZodType<T>, take: (value: T) => U): z.ZodType<U> =>
  of.transform((value, context) => {
    try {
      return take(value)
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) })
      return z.NEVER
    }
  })

/** The kinds of values of a file. */
export const kindsIn = ({ folder, environment, onSecretFile }: Surroundings): Kinds => ({
  text,
  flag: () => z.boolean({ error: wants('true or false') }),
  count,
  amount: () => z.number({ error: wants('a number above 0') }).positive({ error: wants('a number above 0') }),
  size: () => amountOf('a size such as 5MiB, or a number of bytes', parseSize),
  duration: () => amountOf('a time such as 30s, or a number of milliseconds', parseDuration),
  oneOf: (words) => z.literal(words, { error: wants(`one of ${words.join(', ')}`) }),
  list,
  some: (of) => written(list(of).check(atLeastOne), (value) => (Array.isArray(value) ? value : [value])),
  any: () => z.unknown(),
  object,
  taken,
  written,
  optional: (of) => z.exactOptional(of),
  orOff: <T>(of: z.ZodType<T>) =>
    z.unknown().transform((value, context): T | false => {
      if (value === false) return false
      const { data, error } = of.safeParse(value)
      if (error === undefined) return data
      context.issues.push(...error.issues.map((issue) => ({ ...issue, input: value }) as z.core.$ZodRawIssue))
      return z.NEVER
    }),
  path: () => taken(text(), (path) => resolve(folder, path)),
  secret: (least = 1) =>
    // Whoever puts the secret itself here must not read it in a log.
    taken(z.string({ error: () => 'wants env:NAME or file:path' }), (where) => {
      const { secret, file } = readSecret(where, { folder, environment })
      if (file !== undefined) onSecretFile(file)
      if (secret.length >= least) return secret
      throw new Error(`wants a secret of at least ${least} characters, and this one has ${secret.length}`)
    }),
})

function atLeastOne(context: z.core.ParsePayload<readonly unknown[]>): void {
  if (context.value.length === 0) context.issues.push({ code: 'custom', message: 'wants at least one', input: context.value })
}
