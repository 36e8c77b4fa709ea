type OperatorCharacter = '+' | '#' | '.' | '/' | ';' | '?' | '&'

/** Names by what a match gives for them: required or optional, string or list. */
interface Names {
  readonly required: string
  readonly requiredList: string
  readonly optional: string
  readonly optionalList: string
}

interface NoNames {
  readonly required: never
  readonly requiredList: never
  readonly optional: never
  readonly optionalList: never
}

type Add<N extends Names, K extends keyof Names, Name extends string> = {
  readonly [P in keyof Names]: P extends K ? N[P] | Name : N[P]
}

/** One variable; a prefix adds nothing, the full one beside it does. */
type AddVariable<Spec extends string, Required extends boolean, N extends Names> = Spec extends `${string}:${string}`
  ? N
  : Spec extends `${infer Name}*`
    ? Add<N, Required extends true ? 'requiredList' : 'optionalList', Name>
    : Spec extends ''
      ? N
      : Add<N, Required extends true ? 'required' : 'optional', Spec>

type AddVariables<Specs extends string, Required extends boolean, N extends Names> = Specs extends `${infer First},${infer Rest}`
  ? AddVariables<Rest, Required, AddVariable<First, Required, N>>
  : AddVariable<Specs, Required, N>

type AddExpression<Body extends string, N extends Names> = Body extends `+${infer Specs}`
  ? AddVariables<Specs, true, N>
  : Body extends `${OperatorCharacter}${infer Specs}`
    ? AddVariables<Specs, false, N>
    : AddVariables<Body, true, N>

type NamesOf<Text extends string, N extends Names> = Text extends `${string}{${infer AfterBrace}`
  ? AfterBrace extends `${infer Body}}${infer Rest}`
    ? NamesOf<Rest, AddExpression<Body, N>>
    : N
  : N

type Flat<T> = { [K in keyof T]: T[K] }

type ValuesOf<N extends Names> = Flat<
  { readonly [K in N['required']]: string } & { readonly [K in N['requiredList']]: readonly string[] } & {
    readonly [K in Exclude<N['optional'], N['required']>]?: string
  } & { readonly [K in Exclude<N['optionalList'], N['requiredList']>]?: readonly string[] }
>

/** True for `string` and for patterns such as `note://${string}`: nothing can be read off them. */
type IsOpen<T extends string> = object extends Readonly<Record<T, 1>> ? true : false

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
  { readonly [K in N['required']]: ScalarValue } & { readonly [K in N['requiredList']]: readonly ScalarValue[] } & {
    readonly [K in Exclude<N['optional'], N['required']>]?: ScalarValue | undefined
  } & { readonly [K in Exclude<N['optionalList'], N['requiredList']>]?: readonly ScalarValue[] | undefined }
>

/** What this template expands from: as `TemplateValues`, and numbers, booleans, and undefined for what is optional. */
export type ExpandValues<T extends string> = T extends unknown
  ? IsOpen<T> extends true
    ? Readonly<Record<string, ExpandValue>>
    : ExpandValuesOf<NamesOf<T, NoNames>>
  : never
