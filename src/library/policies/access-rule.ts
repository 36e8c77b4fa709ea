import { ShelfError } from '../../errors.ts'
import type { Operation, Principal } from '../call.ts'
import type { AccessPattern } from './access-pattern.ts'
import { accessPattern } from './access-pattern.ts'
import type { AccessWho } from './access-who.ts'
import { accessTest } from './access-who.ts'

/** What a rule may be limited to. `stat` goes with `read`: it tells less of the same. */
export type AccessOperation = Exclude<Operation, 'stat'>

interface RuleBase {
  /** For the audit. */
  readonly name?: string
  /** Default: everybody. */
  readonly who?: AccessWho
  /** Default: all. Whoever may not read a URI may do nothing else with it either. */
  readonly operations?: readonly AccessOperation[]
}

/**
 * One rule: it allows URIs, or denies them. A URI is `any`; a literal prefix, which covers what `Provider.prefixes` says;
 * or a URI template without a query, which covers what it matches, whatever query or fragment follows.
 */
export type AccessRule =
  | (RuleBase & { readonly allow: string | readonly string[]; readonly deny?: never })
  | (RuleBase & { readonly deny: string | readonly string[]; readonly allow?: never })

/** A rule ready to be asked. */
export interface CompiledRule {
  readonly rule: AccessRule
  readonly allows: boolean
  readonly patterns: readonly AccessPattern[]
  readonly operations: ReadonlySet<Operation> | undefined
  concerns(principal: Principal): boolean
}

const MEMBERS = ['name', 'who', 'operations', 'allow', 'deny']
const OPERATIONS: readonly unknown[] = [
  'list',
  'templates',
  'read',
  'children',
  'complete',
  'subscribe',
] satisfies readonly AccessOperation[]

/** @throws ShelfError `invalid-option` or `invalid-template`, saying what is wrong with which rule */
export function compileRule(rule: AccessRule): CompiledRule {
  if (typeof rule !== 'object' || rule === null) throw refused(`a rule is an object, got ${JSON.stringify(rule)}`)
  const { allow, deny, who, operations } = rule
  const unknown = Object.keys(rule).find((name) => !MEMBERS.includes(name))
  if (unknown !== undefined) throw refused(`it has ${MEMBERS.join(', ')}, and no ${JSON.stringify(unknown)}`)
  if ((allow === undefined) === (deny === undefined)) throw refused('it says either "allow" or "deny"')
  const texts = [allow ?? deny ?? []].flat()
  if (texts.length === 0) throw refused('it names no URI; "any" is all of them')
  if (operations !== undefined && (operations.length === 0 || !operations.every((one) => OPERATIONS.includes(one))))
    throw refused(`"operations" are some of ${OPERATIONS.join(', ')}, got ${JSON.stringify(operations)}`)
  return {
    rule,
    allows: allow !== undefined,
    patterns: texts.map(accessPattern),
    operations: operations === undefined ? undefined : new Set(operations),
    concerns: accessTest(who),
  }
}

function refused(message: string): ShelfError {
  return new ShelfError('invalid-option', `An access rule: ${message}`, { option: 'rules' })
}
