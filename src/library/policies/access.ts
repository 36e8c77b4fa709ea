import { notFound } from '../../errors.ts'
import { uriKey } from '../../uri/index.ts'
import type { Call, Operation, Principal } from '../call.ts'
import type { Policy } from '../define-policy.ts'
import { definePolicy } from '../define-policy.ts'
import type { ReadResult, Stat } from '../provider.ts'
import { amended } from '../resource-face.ts'
import { AccessCall } from './access-call.ts'
import { completeAllowed } from './access-completion.ts'
import type { AccessRule } from './access-rule.ts'
import { AccessRules } from './access-rules.ts'
import type { Verdict } from './access-view.ts'

/** What was decided, for the audit. None of it crosses the wire: denied looks like absent. */
export interface AccessDecision {
  readonly principal: Principal
  readonly operation: Operation
  /** As it was asked for; of templates and completion the template. */
  readonly uri: string
  readonly allowed: boolean
  /** The rule that decided, as it was given; absent where none matched, and for a URI that no rule allows. */
  readonly rule?: AccessRule
}

export interface AccessOptions {
  /** The first that matches decides. What none matches is denied; so is everything where there are none. */
  readonly rules: readonly AccessRule[]
  /**
   * Told of every decision: of each item of a list, and again of the object that a provider opened. What it throws is
   * ignored.
   */
  readonly onDecision?: (decision: AccessDecision) => void
}

export interface AccessPolicy extends Policy {
  /**
   * Decides by other rules from now on: for requests that are running too, and for every update that is not delivered
   * yet. Tell listeners with `library.listChanged()`.
   *
   * @throws ShelfError as `access` does; the rules that held before hold on
   */
  replace(rules: readonly AccessRule[]): void
}

/**
 * Who may do what with which URI, decided alike for lists, templates, reads, stats, directories, completion,
 * subscriptions and each update (docs/policies.md). Denied looks like absent.
 *
 * @throws ShelfError `invalid-option` or `invalid-template` for a rule that is none, saying why
 */
export function access({ rules, onDecision }: AccessOptions): AccessPolicy {
  const current = new AccessRules(rules)
  const told = (principal: Principal, operation: Operation, uri: string, verdict: Verdict): boolean => {
    try {
      onDecision?.({ principal, operation, uri, ...verdict })
    } catch {
      // An audit that fails decides nothing.
    }
    return verdict.allowed
  }
  const allows = ({ principal }: Call, operation: Operation, uri: string): boolean =>
    told(principal, operation, uri, current.of(principal).decide(operation, uri))
  const reaches = ({ principal }: Call, operation: Operation, text: string): boolean =>
    told(principal, operation, text, current.of(principal).reaches(operation, text))
  const mayEnter = (call: Call, operation: Operation, uri: string): boolean =>
    isOfTemplate(operation, uri) ? reaches(call, operation, uri) : allows(call, operation, uri)

  const policy = definePolicy({
    name: 'access',
    personal: true,
    parts: true,
    async around<T>({ operation, uri }: { operation: Operation; uri?: string }, call: Call, next: (call?: Call) => Promise<T>) {
      if (uri !== undefined && !mayEnter(call, operation, uri)) throw notFound(uri)
      const { version } = current
      const result = await next(new AccessCall(call, (asked, other) => allows(call, asked, other), current))
      if (uri === undefined) return result
      if (version !== current.version && !mayEnter(call, operation, uri)) return letGo(result as Partial<AsyncDisposable>, uri)
      if (operation !== 'stat') return result
      const { resource } = result as Stat
      if (!isSame(resource.uri, uri) && !allows(call, 'stat', resource.uri)) throw notFound(uri)
      return result
    },
    keep: (uri, operation, call) => mayEnter(call, operation, uri),
    reading: (result, { uri }, call) => withoutDenied(result, uri, (other) => allows(call, 'read', other)),
    completing: (request, call, fetch) => {
      const { principal } = call
      const view = current.of(principal)
      const isTemplate = request.template.includes('{')
      if (view.isOpen('complete', isTemplate ? request.template : '')) return fetch(request)
      // Of which template a URI is, only its provider knows, and so what its values lead to.
      if (!isTemplate) throw notFound(request.template)
      return completeAllowed(view, request, (uri) => allows(call, 'complete', uri), fetch)
    },
    // Its words may tell of what this caller may not know of.
    notice: ({ message, ...notice }, operation, { principal }) =>
      current.of(principal).isOpen(operation, '')
        ? { message, ...notice }
        : { ...notice, message: 'Left out: part of this list cannot be given' },
  })
  return Object.defineProperty(policy, 'replace', {
    value: (next: readonly AccessRule[]) => current.replace(next),
  }) as AccessPolicy
}

/** A template is no URI: what all its URIs begin with decides. */
function isOfTemplate(operation: Operation, text: string): boolean {
  return operation === 'templates' || (operation === 'complete' && text.includes('{'))
}

/** What a read gives under other URIs than its own is decided on as if it had been asked for. */
function withoutDenied(result: ReadResult, uri: string, allows: (uri: string) => boolean): ReadResult | Promise<ReadResult> {
  if (result.kind !== 'contents') return result
  const contents = result.contents.filter((one) => isSame(one.uri, uri) || allows(one.uri))
  if (contents.length === result.contents.length) return result
  return contents.length > 0 ? amended(result, { contents }) : letGo(result, uri)
}

async function letGo(result: Partial<AsyncDisposable>, uri: string): Promise<never> {
  try {
    await result[Symbol.asyncDispose]?.()
  } catch {
    // What cannot be let go of looks like what is not there, as all that is denied does.
  }
  throw notFound(uri)
}

function isSame(a: string, b: string): boolean {
  return a === b || uriKey(a) === uriKey(b)
}
