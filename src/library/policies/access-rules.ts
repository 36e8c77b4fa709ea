import { ShelfError } from '../../errors.ts'
import type { Principal } from '../call.ts'
import type { AccessRule, CompiledRule } from './access-rule.ts'
import { compileRule } from './access-rule.ts'
import { AccessView } from './access-view.ts'

/** So many sets of rules are kept ready, for all the principals whom they concern. */
const MOST_VIEWS = 256

/** The rules that hold now, ready for each principal. */
export class AccessRules {
  #rules: readonly CompiledRule[]
  /** Goes with the principal. */
  #byPrincipal = new WeakMap<Principal, AccessView>()
  /** By which of the rules concern a principal. */
  readonly #views = new Map<string, AccessView>()
  #version = 0

  constructor(rules: readonly AccessRule[]) {
    this.#rules = compiled(rules)
  }

  /** Another number after rules were replaced. */
  get version(): number {
    return this.#version
  }

  of(principal: Principal): AccessView {
    let view = this.#byPrincipal.get(principal)
    if (view === undefined) this.#byPrincipal.set(principal, (view = this.#viewOf(principal)))
    return view
  }

  replace(rules: readonly AccessRule[]): void {
    this.#rules = compiled(rules)
    this.#byPrincipal = new WeakMap()
    this.#views.clear()
    this.#version++
  }

  #viewOf(principal: Principal): AccessView {
    const concerned = this.#rules.map((rule) => rule.concerns(principal))
    const key = concerned.map((yes) => (yes ? '1' : '0')).join('')
    const known = this.#views.get(key)
    if (known !== undefined) return known
    const view = new AccessView(this.#rules.filter((_rule, at) => concerned[at]))
    if (this.#views.size >= MOST_VIEWS) this.#views.delete(this.#views.keys().next().value ?? '')
    this.#views.set(key, view)
    return view
  }
}

function compiled(rules: readonly AccessRule[]): readonly CompiledRule[] {
  if (!Array.isArray(rules)) throw new ShelfError('invalid-option', 'access: "rules" must be a list', { option: 'rules' })
  return rules.map(compileRule)
}
