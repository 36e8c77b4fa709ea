import { RESOURCES_LIST, TEMPLATES_LIST } from '../../../protocol/index.ts'
import type { Rule } from '../finding.ts'
import type { Listed, Lists } from '../listed.ts'
import type { Probe } from '../probe.ts'
import { codeOf, resultOf, said, shownOf } from '../raw-answer.ts'
import type { RawAnswer } from '../raw-answer.ts'
import { reportUnanswered } from './advertised.ts'
import { checkHints, checkScopes } from './caching.ts'
import type { ListKind } from './items.ts'
import { checkItems } from './items.ts'

const SHAPE: Rule = {
  id: 'list-shape',
  says: 'The result of a list has no array of items.',
  advice: 'Give `resources` or `resourceTemplates` as an array, an empty one where there is nothing.',
  cites: [{ severity: 'error', section: 'server/resources#protocol-messages' }],
}

const CURSOR_SHAPE: Rule = {
  id: 'cursor-shape',
  says: '`nextCursor` is no text; in legacy revisions that is also `null`.',
  advice: 'Leave `nextCursor` out on the last page, and make it text on the others.',
  cites: [{ severity: 'error', section: 'server/utilities/pagination#response-format' }],
}

const LOOP: Rule = {
  id: 'paging-loop',
  says: 'A list does not end: a page that brings nothing new has a cursor that was there before, or many pages in a row bring nothing new.',
  advice: 'Leave `nextCursor` out on the last page, and let each cursor stand for one position.',
  cites: [{ severity: 'warning', section: 'server/utilities/pagination#implementation-guidelines' }],
}

const BAD_CURSOR: Rule = {
  id: 'invalid-cursor',
  says: 'A server that pages answers a cursor that it never gave with a result, or with another error than -32602.',
  advice: 'Answer cursors that you did not make with error -32602.',
  cites: [{ severity: 'warning', section: 'server/utilities/pagination#error-handling' }],
}

export const LIST_RULES: readonly Rule[] = [SHAPE, CURSOR_SHAPE, LOOP, BAD_CURSOR]

const RESOURCES: ListKind = { method: RESOURCES_LIST.method, member: 'resources', key: 'uri' }
const TEMPLATES: ListKind = { method: TEMPLATES_LIST.method, member: 'resourceTemplates', key: 'uriTemplate' }

/** So many pages in a row may bring nothing new. */
const IDLE_PAGES = 16

/** Characters of all URIs of a list that are kept. */
const MOST_HELD = 64 * 1024 * 1024

const NO_CURSOR = 'dev.shelfmark.check-no-such-cursor'

/** Walks both lists, and looks at everything on the way. */
export async function checkLists(probe: Probe): Promise<Lists> {
  if (!probe.facts.resources) return { resources: [], templates: [] }
  const resources: Listed[] = []
  await walk(probe, RESOURCES, (item, cursor) => {
    const { mimeType, size } = item
    resources.push({
      uri: String(item['uri']),
      mimeType: typeof mimeType === 'string' ? mimeType : undefined,
      size: typeof size === 'number' ? size : undefined,
      cursor,
    })
    probe.known.add(String(item['uri']))
  })
  const templates: string[] = []
  await walk(probe, TEMPLATES, (item) => templates.push(String(item['uriTemplate'])))
  return { resources, templates }
}

async function walk(
  probe: Probe,
  kind: ListKind,
  found: (item: { readonly [key: string]: unknown }, cursor: string | undefined) => void,
): Promise<void> {
  const { report, limits } = probe
  const { method, member, key } = kind
  const seen = new Set<unknown>()
  const cursors = new Set<string>()
  const scopes: unknown[] = []
  let cursor: string | undefined
  let idle = 0
  let held = 0
  for (let page = 1; ; page++) {
    if (probe.over) return
    if (page > limits.pages) {
      probe.skipped.push(`${method} has more than ${limits.pages} pages`)
      break
    }
    const answer = await probe.ask(method, cursor === undefined ? {} : { cursor })
    if (answer.kind === 'error' && page === 1) reportUnanswered(probe, method, answer)
    const result = resultOf(answer)
    if (result === undefined) return
    checkHints(report, method, method, result)
    scopes.push(result['cacheScope'])
    const entries = result[member]
    if (!Array.isArray(entries))
      return report.add(SHAPE, { subject: method, message: `The result of ${method} has no ${member}`, evidence: result })
    let fresh = 0
    for (const item of checkItems(report, kind, entries as unknown[])) {
      if (seen.has(item[key])) continue
      seen.add(item[key])
      fresh++
      held += String(item[key]).length
      found(item, cursor)
    }
    if (held > MOST_HELD) {
      probe.skipped.push(`the rest of ${method}, whose URIs are too much to keep`)
      break
    }
    probe.tell(`${seen.size} of ${method} ...`)
    const next = nextCursor(probe, method, result['nextCursor'])
    if (next === undefined) break
    idle = fresh === 0 ? idle + 1 : 0
    if ((cursors.has(next) && fresh === 0) || idle >= IDLE_PAGES)
      return report.add(LOOP, {
        subject: method,
        message: `Page ${page} of ${method} brings nothing new and has a next one${cursors.has(next) ? ', whose cursor was there before' : ''}`,
        evidence: { nextCursor: next },
      })
    cursors.add(next)
    cursor = next
  }
  checkScopes(report, method, scopes)
  if (cursors.size > 0) await checkBadCursor(probe, method)
}

function nextCursor({ report, modern }: Probe, method: string, next: unknown): string | undefined {
  if (typeof next === 'string') return next
  // The newest revision lets clients ask only whether it is null.
  if (next !== undefined && !(next === null && modern))
    report.add(CURSOR_SHAPE, { subject: method, message: `nextCursor of ${method} is no text`, evidence: { nextCursor: next } })
  return undefined
}

async function checkBadCursor(probe: Probe, method: string): Promise<void> {
  const answer: RawAnswer = await probe.ask(method, { cursor: NO_CURSOR })
  const refused = answer.kind === 'error' && codeOf(answer) === -32_602
  if (refused || answer.kind === 'silent' || answer.kind === 'lost') return
  probe.report.add(BAD_CURSOR, {
    subject: method,
    message: `A cursor that was never given ${said(answer)}, not with error -32602`,
    evidence: shownOf(answer),
  })
}
