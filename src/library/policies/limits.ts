import { ShelfError } from '../../errors.ts'
import type { Resource, ResourceTemplate } from '../../protocol/index.ts'
import { refuseLargerContents } from '../byte-limits.ts'
import type { Policy, PolicyNext, PolicyStep } from '../define-policy.ts'
import { definePolicy } from '../define-policy.ts'
import { LONGEST_URI } from '../longest-uri.ts'
import { pageOf } from '../page.ts'
import type { Completion, Page, ReadResult } from '../provider.ts'
import { requireCount } from './limit-option.ts'

export interface LimitsOptions {
  /** The most raw bytes of a read; of a range the part counts. Default 5 MiB. */
  readonly maxRead?: number
  /** Contents of one read. Default 1,000. */
  readonly contents?: number
  /** Items that are asked for at once, for a page of a list or directory. Default 4,000. */
  readonly items?: number
  /** Segments of the path of a directory that is opened. Default 32. */
  readonly depth?: number
  /** Values of one completion. Default 100. */
  readonly values?: number
  /** UTF-16 units of a name, a title, a description or a value of completion. Default 4,096. */
  readonly text?: number
}

/** Those limits, each of which has a value. */
type Bounds = Required<LimitsOptions>

/**
 * Bounds what one provider gives, whatever it was asked for: put it round a mount that is not trusted with the limits of the
 * Engine. A read of too many bytes is `too-large` and one of too many contents `refused`, before anything of it is sent;
 * directories that are nested too deeply are `refused`; texts of lists are cut.
 *
 * @throws ShelfError `invalid-option` for a limit that is no whole number
 */
export function limits(options: LimitsOptions = {}): Policy {
  const bounds: Bounds = {
    maxRead: requireCount('maxRead', options.maxRead ?? 5 * 1024 * 1024, 0),
    contents: requireCount('contents', options.contents ?? 1_000, 1),
    items: requireCount('items', options.items ?? 4_000, 1),
    depth: requireCount('depth', options.depth ?? 32, 0),
    values: requireCount('values', options.values ?? 100, 1),
    text: requireCount('text', options.text ?? 4_096, 1),
  }
  return definePolicy({
    name: 'limits',
    around: (step, _call, next) => bounded(step, next, bounds) as ReturnType<typeof next>,
    parts: true,
    reading: (result) => boundedRead(result, bounds),
  })
}

async function bounded(step: PolicyStep, next: PolicyNext<unknown>, bounds: Bounds): Promise<unknown> {
  switch (step.operation) {
    case 'read':
      return next(undefined, { ...step.request, maxBytes: Math.min(step.request.maxBytes, bounds.maxRead) })
    case 'complete': {
      const limit = Math.min(step.request.limit, bounds.values)
      return boundedValues((await next(undefined, { ...step.request, limit })) as Completion, limit, bounds.text)
    }
    case 'stat':
      return next()
    case 'children':
      refuseDeeper(step.request.uri, bounds.depth)
  }
  const limit = Math.min(step.request.limit, bounds.items)
  const page = (await next(undefined, { ...step.request, limit })) as Page<Resource | ResourceTemplate>
  return boundedPage(page, limit, step.provider.name, bounds.text)
}

/** A provider that has a `maxBytes` of its own, or none, is not asked for its word. */
function boundedRead(result: ReadResult, { maxRead, contents: most }: Bounds): ReadResult {
  if (result.kind !== 'contents') return result
  const { contents } = result
  if (contents.length > most) {
    const message = `The resource has ${contents.length} contents and the limit is ${most}; read them one by one`
    throw new ShelfError('refused', message, {})
  }
  refuseLargerContents(contents, maxRead)
  return result
}

function refuseDeeper(uri: string, depth: number): void {
  const segments = depthOf(uri)
  if (segments <= depth) return
  throw new ShelfError('refused', `The directory is ${segments} levels deep and the limit is ${depth}`, { uri })
}

/** How many segments the path of a URI has. */
function depthOf(uri: string): number {
  const head = uri.split(/[?#]/, 1)[0] ?? uri
  const path = head.slice(head.indexOf(':') + 1).replace(/^\/\/[^/]*/, '')
  return path.split('/').reduce((count, segment) => (segment === '' ? count : count + 1), 0)
}

/**
 * Items whose URI nobody could ask for are left out, and said to be.
 *
 * @throws ShelfError `internal` for more items than were asked for: the place after those that fit is not known
 */
function boundedPage<T extends Resource | ResourceTemplate>(
  page: Page<T>,
  limit: number,
  provider: string,
  text: number,
): Page<T> {
  const { items, next, notices } = page
  if (items.length > limit) {
    throw new ShelfError('internal', `${provider} gave ${items.length} items, asked for ${limit} at most`, {})
  }
  const kept = items.filter((item) => ('uri' in item ? item.uri : item.uriTemplate).length <= LONGEST_URI)
  const left = items.length - kept.length
  const message = `Left out: ${left} with a URI of more than ${LONGEST_URI} characters`
  return pageOf(
    kept.map((item) => withShortTexts(item, text)),
    next,
    left === 0 ? notices : [...(notices ?? []), { level: 'warning', provider, message }],
  )
}

function withShortTexts<T extends Resource | ResourceTemplate>(item: T, most: number): T {
  const { name, title = '', description = '' } = item
  if (name.length <= most && title.length <= most && description.length <= most) return item
  return {
    ...item,
    name: cut(name, most),
    ...(item.title !== undefined && { title: cut(title, most) }),
    ...(item.description !== undefined && { description: cut(description, most) }),
  }
}

/** The beginning of a text that is too long, with an ellipsis and no half of a character. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Values that are too long are left out, since a part of one is another value. */
function boundedValues(completion: Completion, most: number, text: number): Completion {
  const values = completion.values.filter((value) => value.length <= text).slice(0, most)
  return values.length === completion.values.length ? completion : { ...completion, values, hasMore: true }
}
