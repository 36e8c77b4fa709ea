import type { Notice } from '../library/index.ts'
import type { Resource, ResourceTemplate, UncheckedObject } from '../protocol/index.ts'
import { isObject, isStrings } from '../protocol/index.ts'
import { DEEPEST, isDeeper } from './is-deeper.ts'

/** Notices of one answer; more than these are only counted. */
const MOST_NOTICES = 20

/** Notices of one answer as they come up. */
export class NoticeList {
  readonly all: Notice[] = []
  #more = 0

  warn(message: string): void {
    if (this.all.length < MOST_NOTICES) this.all.push({ level: 'warning', message })
    else this.#more++
  }

  /** What there is to say, with how much was left out. */
  get told(): readonly Notice[] {
    if (this.#more === 0) return this.all
    return [...this.all, { level: 'warning', message: `and ${this.#more} more like these` }]
  }
}

/** Members of an item that are text; one that is something else is left out. */
const TEXTS = ['title', 'description', 'mimeType']

/**
 * The resources of an answer: an entry without a URI is set aside and named, a member of the wrong type is left out and
 * named, members that nobody knows stay. `key` is the member that identifies an item.
 */
export function readItems<T extends Resource | ResourceTemplate>(
  value: unknown,
  key: T extends Resource ? 'uri' : 'uriTemplate',
  notices: NoticeList,
): readonly T[] {
  if (!Array.isArray(value)) {
    if (value !== undefined) notices.warn('The list is no array; taken for empty')
    return []
  }
  const items: T[] = []
  for (const [index, entry] of (value as unknown[]).entries()) {
    const item = readItem(entry, key, index, notices)
    if (item !== undefined) items.push(item as unknown as T)
  }
  return items
}

function readItem(entry: unknown, key: string, index: number, notices: NoticeList): UncheckedObject | undefined {
  if (!isObject(entry)) {
    notices.warn(`Entry ${index} is no object; set aside`)
    return undefined
  }
  const id = entry[key]
  if (typeof id !== 'string' || id === '') {
    notices.warn(`Entry ${index} (${named(entry)}) has no ${key}; set aside`)
    return undefined
  }
  if (isDeeper(entry, DEEPEST)) {
    notices.warn(`${shown(id)} has more than ${DEEPEST} levels; set aside`)
    return undefined
  }
  const wrong = faults(entry)
  if (wrong.length === 0) return entry
  const item: Record<string, unknown> = { ...entry }
  for (const [member, advice] of wrong) {
    if (member.startsWith(INNER)) item['annotations'] = without(item['annotations'], member.slice(INNER.length))
    else delete item[member]
    if (member === 'name') item['name'] = nameOf(id)
    notices.warn(`${shown(id)}: ${member} ${advice}`)
  }
  return item
}

function faults(entry: UncheckedObject): readonly (readonly [member: string, advice: string])[] {
  const wrong: (readonly [string, string])[] = []
  if (typeof entry['name'] !== 'string') wrong.push(['name', entry['name'] === undefined ? 'is missing' : 'is no text'])
  for (const member of TEXTS) {
    if (entry[member] !== undefined && typeof entry[member] !== 'string') wrong.push([member, 'is no text; left out'])
  }
  const { size, annotations, icons, _meta: meta } = entry
  if (size !== undefined && (typeof size !== 'number' || !(size >= 0) || !Number.isFinite(size))) {
    wrong.push(['size', 'is no number of bytes; left out'])
  }
  if (isObject(annotations)) wrong.push(...annotationFaults(annotations))
  else if (annotations !== undefined) wrong.push(['annotations', 'are no object; left out'])
  if (meta !== undefined && !isObject(meta)) wrong.push(['_meta', 'is no object; left out'])
  if (icons !== undefined && !(Array.isArray(icons) && icons.every(isIcon)))
    wrong.push(['icons', 'are no list of objects with a src; left out'])
  return wrong
}

const INNER = 'annotations.'

function annotationFaults({ audience, priority, lastModified }: UncheckedObject): readonly (readonly [string, string])[] {
  const wrong: (readonly [string, string])[] = []
  if (audience !== undefined && !isStrings(audience)) wrong.push([`${INNER}audience`, 'is no list of texts; left out'])
  if (priority !== undefined && !(typeof priority === 'number' && priority >= 0 && priority <= 1))
    wrong.push([`${INNER}priority`, 'is no number from 0 to 1; left out'])
  if (lastModified !== undefined && typeof lastModified !== 'string') wrong.push([`${INNER}lastModified`, 'is no text; left out'])
  return wrong
}

function without(annotations: unknown, member: string): UncheckedObject {
  const left: Record<string, unknown> = isObject(annotations) ? { ...annotations } : {}
  delete left[member]
  return left
}

function isIcon(value: unknown): boolean {
  return isObject(value) && typeof value['src'] === 'string'
}

/** What a resource without a name is called: the last segment of its URI as it is written, or all of it. */
export function nameOf(uri: string): string {
  return /([^/]+)\/*$/.exec(uri)?.[1] ?? uri
}

function named(entry: UncheckedObject): string {
  const name = entry['name'] ?? entry['title']
  return typeof name === 'string' ? shown(name) : 'without a name'
}

/** Text of a server as it is put into a notice. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}
