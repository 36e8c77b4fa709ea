import { ShelfError } from '../errors.ts'
import type { Resource } from '../protocol/index.ts'
import { expandTemplate } from '../uri/index.ts'
import type { Call } from './call.ts'
import { systemClock } from './clock.ts'
import type { EnumerationItem } from './options.ts'
import type { OwnTemplate, Values } from './own-template.ts'
import { resourceOf } from './own-template.ts'
import { pageOf } from './page.ts'
import type { Notice, Page, PageRequest } from './provider.ts'

/** The enumerated resources of one template, in the order of their URIs, after a URI. */
export async function enumerate(own: OwnTemplate, request: PageRequest, call: Call, budgetMs: number): Promise<Page<Resource>> {
  const after = request.after
  if (after !== undefined && typeof after !== 'string')
    throw new ShelfError('invalid-cursor', 'Not a position in an enumeration', {})
  const { items, notices } = await enumerateAll(own, call, budgetMs)
  const rest = after === undefined ? items : items.filter((item) => item.uri > after)
  const page = rest.slice(0, request.limit)
  return pageOf(page, rest.length > page.length ? page.at(-1)?.uri : undefined, notices)
}

/**
 * Known values with the URIs they expand to; those that do not come back from it are left out with a notice.
 *
 * @throws ShelfError `timeout` at the first value after `budgetMs`, so that a source without an end is let go of
 */
export async function enumerateAll(
  own: OwnTemplate,
  call: Call,
  budgetMs: number,
): Promise<{ items: Resource[]; values: Values[]; notices: Notice[] }> {
  const found = new Map<string, { resource: Resource; values: Values }>()
  const notices: Notice[] = []
  const end = systemClock.monotonic() + budgetMs
  const source = (await own.options.list?.(call)) ?? []
  for await (const item of source) {
    call.signal.throwIfAborted()
    if (systemClock.monotonic() > end)
      throw new ShelfError('timeout', `${own.text}: no end after ${budgetMs} ms`, { afterMs: budgetMs })
    const { values, ...face } = split(item)
    try {
      const uri = expandTemplate(own.parsed, values, { reversible: true })
      found.set(uri, { resource: { ...resourceOf(own, uri), ...face, uri }, values })
    } catch (error) {
      notices.push({ level: 'warning', message: `${own.text}: ${ShelfError.from(error).message}` })
    }
  }
  const sorted = [...found.values()].toSorted((a, b) => (a.resource.uri < b.resource.uri ? -1 : 1))
  return { items: sorted.map((one) => one.resource), values: sorted.map((one) => one.values), notices }
}

function split(item: EnumerationItem): { readonly values: Values } & Partial<Resource> {
  const { values } = item as { values?: unknown }
  if (typeof values === 'object' && values !== null && !Array.isArray(values)) return item as { values: Values }
  return { values: item as Values }
}
