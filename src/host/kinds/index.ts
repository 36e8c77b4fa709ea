export { KINDS } from './kind.ts'
export type { Kind, KindTraits } from './kind.ts'
export { kindOf } from './kind-of.ts'
export type { Described } from './kind-of.ts'
