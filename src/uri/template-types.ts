type OperatorCharacter = '+' | '#' | '.' | '/' | ';' | '?' | '&'

/** Names by what a match gives for them: required, required list, optional, optional list. */
type Names = readonly [required: string, requiredList: string, optional: string, optionalList: string]

type NoNames = readonly [never, never, never, never]

/** One variable; a prefix adds nothing, the full one beside it does. */
type AddVariable<Spec extends string, Required extends boolean, N extends Names> = Spec extends '' | `${string}:${string}`
  ? N
  : Spec extends `${infer Name}*`
    ? Required extends true
      ? readonly [N[0], N[1] | Name, N[2], N[3]]
      : readonly [N[0], N[1], N[2], N[3] | Name]
    : Required extends true
      ? readonly [N[0] | Spec, N[1], N[2], N[3]]
      : readonly [N[0], N[1], N[2] | Spec, N[3]]

// `infer` settles the names found so far: left open, they nest as deep as there are variables.
type AddVariables<Specs extends string, Required extends boolean, N extends Names> = Specs extends `${infer First},${infer Rest}`
  ? AddVariable<First, Required, N> extends infer M extends Names
    ? AddVariables<Rest, Required, M>
    : never
  : AddVariable<Specs, Required, N>

type AddExpression<Body extends string, N extends Names> = Body extends `+${infer Specs}`
  ? AddVariables<Specs, true, N>
  : Body extends `${OperatorCharacter}${infer Specs}`
    ? AddVariables<Specs, false, N>
    : AddVariables<Body, true, N>

type NamesOf<Text extends string, N extends Names> = Text extends `${string}{${infer Body}}${infer Rest}`
  ? AddExpression<Body, N> extends infer M extends Names
    ? NamesOf<Rest, M>
    : never
  : N

type Flat<T> = { [K in keyof T]: T[K] }

type ValuesOf<N extends Names> = Flat<
  { readonly [K in N[0]]: string } & { readonly [K in N[1]]: readonly string[] } & {
    readonly [K in Exclude<N[2], N[0]>]?: string
  } & { readonly [K in Exclude<N[3], N[1]>]?: readonly string[] }
>

/** True for `string` and for patterns such as `note://${string}`: nothing can be read off them. */
type IsOpen<T extends string> = {} extends Readonly<Record<T, 1>> ? true : false

/**
 * What a match of this template gives, read off its text (docs/templates.md section 9): `{v}` and `{+v}` are required,
 * all other operators optional, `*` is a list. A text that is no literal gives a plain record; a union distributes.
 */
export type TemplateValues<T extends string> = T extends unknown
  ? IsOpen<T> extends true
    ? Readonly<Record<string, string | readonly string[] | undefined>>
    : ValuesOf<NamesOf<T, NoNames>>
  : never

/** A value that prints as text. */
export type ScalarValue = string | number | boolean

/** Any value of RFC 6570 section 2.3; null and undefined are absent. */
export type ExpandValue =
  | ScalarValue
  | null
  | undefined
  | readonly (ScalarValue | null | undefined)[]
  | { readonly [key: string]: ScalarValue | null | undefined }

type ExpandValuesOf<N extends Names> = Flat<
  { readonly [K in N[0]]: ScalarValue } & { readonly [K in N[1]]: readonly ScalarValue[] } & {
    readonly [K in Exclude<N[2], N[0]>]?: ScalarValue | undefined
  } & { readonly [K in Exclude<N[3], N[1]>]?: readonly ScalarValue[] | undefined }
>

/** What this template expands from: as `TemplateValues`, and numbers, booleans, and undefined for what is optional. */
export type ExpandValues<T extends string> = T extends unknown
  ? IsOpen<T> extends true
    ? Readonly<Record<string, ExpandValue>>
    : ExpandValuesOf<NamesOf<T, NoNames>>
  : never
