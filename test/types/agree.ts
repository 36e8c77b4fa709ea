import type { REVISIONS, Revision } from '../../src/protocol/index.ts'

/** Members that a type names itself; what an index signature admits does not count. */
type KnownKey<K> = string extends K ? never : number extends K ? never : K

/** No known members: free-form, whatever it is called. */
interface FreeForm {
  freeForm: true
}

/**
 * A type without what does not cross the wire: `readonly`, `| undefined` beside `?`, inheritance, and index signatures
 * beside named members. Two types of one wire form become identical.
 */
export type Plain<T> = unknown extends T
  ? unknown
  : T extends readonly (infer Item)[]
    ? Plain<Item>[]
    : T extends object
      ? [keyof { [K in keyof T as KnownKey<K>]: 1 }] extends [never]
        ? FreeForm
        : { -readonly [K in keyof T as KnownKey<K>]: Plain<Exclude<T[K], undefined>> }
      : T

/** True if and only if both are the same on the wire. */
export type Agree<A, B> =
  (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2
    ? (<T>() => T extends Plain<B> ? 1 : 2) extends <T>() => T extends Plain<A> ? 1 : 2
      ? true
      : false
    : false

type Facts<R extends Revision> = (typeof REVISIONS)[R]

/** Names of members that a revision does not know, by the facts it is described with. */
type NewerThan<R extends Revision> =
  | (Facts<R>['title'] extends true ? never : 'title')
  | (Facts<R>['icons'] extends true ? never : 'icons')
  | (Facts<R>['itemMeta'] extends true ? never : '_meta')
  | (Facts<R>['lastModified'] extends true ? never : 'lastModified')

/** One of our types as a revision knows it: what is newer is left out, in items of items too. */
export type At<R extends Revision, T> = Without<T, NewerThan<R>>

/** An implementation as a revision knows it; its description is newer than that of other things. */
export type ImplementationAt<R extends Revision, T> = Without<
  T,
  NewerThan<R> | (Facts<R>['implementationText'] extends true ? never : 'description' | 'websiteUrl')
>

type Without<T, Names extends string> = T extends readonly (infer Item)[]
  ? readonly Without<Item, Names>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T as Exclude<K, Names>]: Without<T[K], Names> }
    : T

/** A page of a list without its `_meta`. */
export type Listed<Member extends string, Item> = { readonly nextCursor?: string } & { readonly [M in Member]: readonly Item[] }

/** A result without what all results may have. */
export type Bare<T> = Omit<Plain<T>, '_meta' | 'resultType'>
