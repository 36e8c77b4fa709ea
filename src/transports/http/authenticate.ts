import { ShelfError } from '../../errors.ts'
import type { Principal } from '../../library/index.ts'
import { isObject, isStrings } from '../../protocol/index.ts'

/**
 * Who a bearer token is of; undefined for nobody's. Called for each request, and now and then for a stream that is open, so
 * it answers from memory where it can. The token is in no error, log or message of this library, and goes to nobody else.
 */
export type Authenticate = (token: string) => Principal | undefined | Promise<Principal | undefined>

/** One, so that it is told once. */
const NO_PRINCIPAL = new ShelfError(
  'invalid-option',
  'authenticate gave neither undefined nor a principal, { id, kind, scopes, claims } with an id that is not empty and a list of scopes',
  { option: 'authenticate' },
)

const KINDS: ReadonlySet<unknown> = new Set<Principal['kind']>(['local', 'anonymous', 'authenticated'])

/**
 * Whom `authenticate` gave, which types may not have checked: nobody, as directories and `isGood && principal` say it, too.
 * What is no principal is nobody that could be let in, and scopes that are text would contain parts of themselves.
 *
 * @throws ShelfError `invalid-option`
 */
export function principalFrom(given: unknown): Principal | undefined {
  if (given === undefined || given === null || given === false) return undefined
  if (!isObject(given)) throw NO_PRINCIPAL
  const { id, kind, scopes, claims, expiresAt } = given
  if (typeof id !== 'string' || id === '' || !KINDS.has(kind) || !isStrings(scopes) || !isObject(claims)) throw NO_PRINCIPAL
  if (expiresAt !== undefined && typeof expiresAt !== 'number') throw NO_PRINCIPAL
  return given as unknown as Principal
}
