import type { Template } from '../../uri/index.ts'
import { expandTemplate, parseTemplate } from '../../uri/index.ts'
import type { CompleteRequest, Completion } from '../provider.ts'
import type { AccessView } from './access-view.ts'

/** So many times as many values as are wanted are looked at; what lies behind them is not offered. */
const SCAN_FACTOR = 10

/** Where a value leads: to one URI, or to all that begin with a text. */
interface Lead {
  readonly uri: string
  /** Nothing that is not known yet belongs to the URI. */
  readonly isWhole: boolean
  /** The value is in it. */
  readonly holdsValue: boolean
}

/**
 * The values that lead to something allowed, as if there were no others: no `total`, since it would count them, and more
 * only where one more of them was seen. `allows` is asked for whole URIs.
 */
export async function completeAllowed(
  view: AccessView,
  request: CompleteRequest,
  allows: (uri: string) => boolean,
  fetch: (request: CompleteRequest) => Promise<Completion>,
): Promise<Completion> {
  const { limit } = request
  const template = parsed(request.template)
  const fits = (value: string): boolean => template !== undefined && isAllowed(view, template, request, value, allows)
  let looked = -1
  for (let wanted = limit; ; wanted = Math.min(2 * wanted, SCAN_FACTOR * limit)) {
    const { values, total = 0, hasMore = total > values.length } = await fetch({ ...request, limit: wanted })
    const kept = values.filter(fits)
    const isLast = !hasMore || values.length <= looked || wanted >= SCAN_FACTOR * limit
    if (kept.length > limit || isLast) return { values: kept.slice(0, limit), hasMore: kept.length > limit }
    looked = values.length
  }
}

function isAllowed(
  view: AccessView,
  template: Template,
  request: CompleteRequest,
  value: string,
  allows: (uri: string) => boolean,
): boolean {
  const lead = leadOf(template, request, value)
  if (lead === undefined) return false
  const { uri, isWhole, holdsValue } = lead
  if (isWhole) return allows(uri) || (uri.endsWith('/') && view.reaches('complete', uri).allowed)
  return holdsValue ? view.reaches('complete', uri).allowed : view.isOpen('complete', uri)
}

/** The URI that a value makes with what is known, up to the first expression that something is missing of. */
function leadOf(template: Template, request: CompleteRequest, value: string): Lead | undefined {
  const known: Record<string, string> = { ...request.arguments, [request.variable]: value }
  const parts: Template['parts'][number][] = []
  let isWhole = true
  let holdsValue = false
  for (const part of template.parts) {
    if (part.kind === 'literal') {
      parts.push(part)
      // No rule is about what follows.
      if (part.text.includes('?') || part.text.includes('#')) break
      continue
    }
    if (part.operator !== '' && '?&#'.includes(part.operator)) break
    const names = part.variables.map(({ name }) => name)
    const missing = names.findIndex((name) => !Object.hasOwn(known, name))
    const isOptional = part.operator === '/' || part.operator === '.'
    isWhole = missing < 0
    if (!isWhole && (!isOptional || names.slice(missing).some((name) => Object.hasOwn(known, name)))) break
    parts.push(part)
    holdsValue ||= names.includes(request.variable)
    if (!isWhole) break
  }
  try {
    return { uri: expandTemplate({ text: template.text, parts }, known), isWhole, holdsValue }
  } catch {
    return undefined
  }
}

function parsed(text: string): Template | undefined {
  try {
    return parseTemplate(text)
  } catch {
    return undefined
  }
}
