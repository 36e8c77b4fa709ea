import type { UncheckedObject } from '../../../protocol/index.ts'
import type { Rule } from '../finding.ts'
import type { Report } from '../report.ts'

const MISSING: Rule = {
  id: 'cache-hint-missing',
  says: 'A complete result of `server/discover`, a list or `resources/read` lacks `ttlMs` or `cacheScope`.',
  advice: 'Set both; `ttlMs: 0` and `cacheScope: "private"` where nothing may be kept.',
  cites: [{ severity: 'error', section: 'server/utilities/caching#cacheable-results', from: '2026-07-28' }],
}

const WRONG: Rule = {
  id: 'cache-hint-wrong',
  says: '`ttlMs` is no integer of at least 0, or `cacheScope` is neither `public` nor `private`.',
  advice: 'Give milliseconds as an integer of at least 0, and one of the two scopes.',
  cites: [{ severity: 'error', section: 'server/utilities/caching#cacheable-model', from: '2026-07-28' }],
}

const SCOPE_VARIES: Rule = {
  id: 'cache-scope-varies',
  says: 'Pages of one list have different `cacheScope`.',
  advice: 'Give all pages the narrower scope.',
  cites: [{ severity: 'error', section: 'server/utilities/caching#interaction-with-pagination', from: '2026-07-28' }],
}

export const CACHING_RULES: readonly Rule[] = [MISSING, WRONG, SCOPE_VARIES]

/** The cache hints of a result; revisions before 2026-07-28 have none. */
export function checkHints(report: Report, method: string, subject: string, result: UncheckedObject): void {
  const { ttlMs, cacheScope } = result
  const missing = ['ttlMs', 'cacheScope'].filter((member) => result[member] === undefined)
  if (missing.length > 0)
    report.add(MISSING, {
      subject,
      message: `The result of ${method} has no ${missing.join(' and no ')}`,
      evidence: { ttlMs, cacheScope },
    })
  if (ttlMs !== undefined && !(Number.isInteger(ttlMs) && Number(ttlMs) >= 0))
    report.add(WRONG, { subject, message: `ttlMs of ${method} is no integer of at least 0`, evidence: { ttlMs } })
  if (cacheScope !== undefined && cacheScope !== 'public' && cacheScope !== 'private')
    report.add(WRONG, { subject, message: `cacheScope of ${method} is neither public nor private`, evidence: { cacheScope } })
}

/** The scopes of all pages of one list. */
export function checkScopes(report: Report, method: string, scopes: readonly unknown[]): void {
  const different = [...new Set(scopes.filter((scope) => scope !== undefined))]
  if (different.length > 1)
    report.add(SCOPE_VARIES, { subject: method, message: `Pages of ${method} have different cacheScope`, evidence: different })
}
