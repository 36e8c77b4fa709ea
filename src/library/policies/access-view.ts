import type { Operation } from '../call.ts'
import type { AccessPattern } from './access-pattern.ts'
import type { AccessRule, CompiledRule } from './access-rule.ts'
import { headOf, readPath } from './read-path.ts'
import type { ReadPath } from './read-path.ts'

/** What was decided, and by which rule; without a rule nothing matched, or the URI is one that no rule allows. */
export interface Verdict {
  readonly allowed: boolean
  readonly rule?: AccessRule
}

const NOTHING: Verdict = { allowed: false }

/** One pattern of a rule: there are as many in a row as the rule has. */
interface Line {
  readonly rule: AccessRule
  readonly allows: boolean
  readonly pattern: AccessPattern
}

/** The rules that concern one principal, by operation. */
export class AccessView {
  readonly #read: readonly Line[]
  readonly #byOperation = new Map<Operation, readonly Line[]>()

  constructor(rules: readonly CompiledRule[]) {
    const forReading = rules.filter(({ operations }) => operations?.has('read') !== false)
    this.#read = linesOf(forReading)
    for (const operation of ['list', 'templates', 'children', 'complete', 'subscribe'] as const) {
      const mine = rules.filter(({ operations }) => operations?.has(operation) !== false)
      const isSame = mine.length === forReading.length && mine.every((rule, i) => rule === forReading[i])
      if (!isSame) this.#byOperation.set(operation, linesOf(mine))
    }
  }

  /** What may not be read may not be listed, completed or subscribed to either. */
  decide(operation: Operation, uri: string): Verdict {
    const path = readPath(uri)
    if (path === undefined) return NOTHING
    const verdict = first(this.#read, path)
    const own = this.#byOperation.get(operation)
    return verdict.allowed && own !== undefined ? first(own, path) : verdict
  }

  /** Whether something that begins with this text could be allowed. It never says no where a URI is. */
  reaches(operation: Operation, prefix: string): Verdict {
    const start = startOf(prefix)
    const verdict = reached(this.#read, start)
    const own = this.#byOperation.get(operation)
    return verdict.allowed && own !== undefined ? reached(own, start) : verdict
  }

  /** Whether everything that begins with this text is allowed, but for what no rule allows. */
  isOpen(operation: Operation, prefix: string): boolean {
    const start = startOf(prefix)
    const own = this.#byOperation.get(operation)
    return isWhole(this.#read, start) && (own === undefined || isWhole(own, start))
  }
}

function linesOf(rules: readonly CompiledRule[]): readonly Line[] {
  return rules.flatMap(({ rule, allows, patterns }) => patterns.map((pattern) => ({ rule, allows, pattern })))
}

/** The first rule that matches; a URI that is allowed as written must not be denied as it may be understood. */
function first(lines: readonly Line[], path: ReadPath): Verdict {
  for (const { rule, allows, pattern } of lines) {
    if (!(allows ? pattern.is(path) : pattern.mayBe(path))) continue
    if (!allows) return { allowed: false, rule }
    const other = path.plain === path.written ? undefined : understood(lines, path)
    return other === undefined ? { allowed: true, rule } : { allowed: false, rule: other }
  }
  return NOTHING
}

/** The rule that denies a URI as it may be understood. */
function understood(lines: readonly Line[], { plain, isText }: ReadPath): AccessRule | undefined {
  const denied: ReadPath = { written: plain, plain, isText }
  const allowed: ReadPath = { ...denied, isText: true }
  for (const { rule, allows, pattern } of lines) {
    if (pattern.mayBe(allows ? allowed : denied)) return allows ? undefined : rule
  }
  return undefined
}

/** The first rule that allows something that no rule before it denies as a whole. */
function reached(lines: readonly Line[], start: string): Verdict {
  const denied: AccessPattern[] = []
  for (const { rule, allows, pattern } of lines) {
    if (!allows) {
      if (pattern.holds(start)) return { allowed: false, rule }
      denied.push(pattern)
    } else if (pattern.meets(start)) {
      const common = pattern.literal.length > start.length ? pattern.literal : start
      if (!denied.some((one) => one.holds(common))) return { allowed: true, rule }
    }
  }
  return NOTHING
}

function isWhole(lines: readonly Line[], start: string): boolean {
  for (const { allows, pattern } of lines) {
    if (allows && pattern.holds(start)) return true
    if (!allows && pattern.meets(start)) return false
  }
  return false
}

/** The beginning of URIs as rules are compared with it; nothing where no scheme is known. */
function startOf(prefix: string): string {
  const literal = prefix.split('{', 1)[0] ?? ''
  return headOf(literal) ?? (literal.endsWith('+') ? literal.toLowerCase() : '')
}
