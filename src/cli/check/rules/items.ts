import { ShelfError } from '../../../errors.ts'
import type { UncheckedObject } from '../../../protocol/index.ts'
import { isObject } from '../../../protocol/index.ts'
import { canonicalUri, parseTemplate } from '../../../uri/index.ts'
import type { Rule } from '../finding.ts'
import type { Report } from '../report.ts'

const WITHOUT_URI: Rule = {
  id: 'item-without-uri',
  says: 'A listed resource has no `uri` that is text, a template no `uriTemplate`.',
  advice: 'Give every entry its URI: hosts drop the entry, and official clients the whole list.',
  cites: [{ severity: 'error', section: 'server/resources#resource' }],
}

const WITHOUT_NAME: Rule = {
  id: 'item-without-name',
  says: 'A listed resource or template has no `name` that is text.',
  advice: 'Give every entry a name: official clients refuse the whole list without it.',
  cites: [{ severity: 'error', section: 'server/resources#resource' }],
}

const MEMBER: Rule = {
  id: 'item-member',
  says: 'A member of a listed resource or template has a type that the schema does not have, `null` among them, or an annotation a value out of its range.',
  advice: 'Leave out members that have no value, and give the others the type of the schema.',
  cites: [{ severity: 'error', section: 'server/resources#resource' }],
}

const INVALID_URI: Rule = {
  id: 'invalid-uri',
  says: 'A listed URI is none by RFC 3986: no scheme, a character that it may not hold, or a percent sign without two digits.',
  advice: 'Percent-encode what a URI may not hold, and begin it with a scheme.',
  cites: [{ severity: 'error', section: 'server/resources#resource' }],
}

const UNPARSABLE: Rule = {
  id: 'template-unparsable',
  says: 'A listed `uriTemplate` is none by RFC 6570.',
  advice: 'Names are letters, digits, `_` and inner dots; every expression has two braces; the operators are + # . / ; ? &.',
  cites: [{ severity: 'error', section: 'server/resources#resource-templates' }],
}

const DUPLICATE: Rule = {
  id: 'duplicate-uri',
  says: 'A page of a list has the same URI, or the same template, twice.',
  advice: 'List each URI once: the second entry can never be read.',
  cites: [{ severity: 'warning', section: 'server/resources#resource' }],
}

export const ITEM_RULES: readonly Rule[] = [WITHOUT_URI, WITHOUT_NAME, MEMBER, INVALID_URI, UNPARSABLE, DUPLICATE]

/** A kind of list: its method, where the items are, and what identifies one. */
export interface ListKind {
  readonly method: string
  readonly member: 'resources' | 'resourceTemplates'
  readonly key: 'uri' | 'uriTemplate'
}

/** The items of a page that have their URI and are objects; what is wrong with any of them is reported. */
export function checkItems(report: Report, { method, key }: ListKind, entries: readonly unknown[]): readonly UncheckedObject[] {
  const good: UncheckedObject[] = []
  const seen = new Set<string>()
  for (const [index, entry] of entries.entries()) {
    const id = isObject(entry) ? entry[key] : undefined
    if (!isObject(entry) || typeof id !== 'string' || id === '') {
      report.add(WITHOUT_URI, { subject: method, message: `Entry ${index} of a page has no ${key}`, evidence: entry })
      continue
    }
    for (const fault of memberFaults(entry))
      report.add(fault.member === 'name' ? WITHOUT_NAME : MEMBER, {
        subject: id,
        message: `${fault.member} ${fault.what}`,
        evidence: { [fault.member]: entry[fault.member] },
      })
    if (seen.has(id))
      report.add(DUPLICATE, { subject: id, message: `A page of ${method} has it more than once`, evidence: entry })
    seen.add(id)
    const fault = key === 'uri' ? uriFault(id) : templateFault(id)
    if (fault === undefined) good.push(entry)
    else report.add(key === 'uri' ? INVALID_URI : UNPARSABLE, { subject: id, message: fault, evidence: id })
  }
  return good
}

/** Characters that RFC 3986 has (section 2), and the triplets. */
const URI_TEXT = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/

function uriFault(uri: string): string | undefined {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri)) return 'The URI has no scheme'
  if (URI_TEXT.test(uri)) return undefined
  const at = uri.search(/[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]|%(?![0-9A-Fa-f]{2})/)
  const char = String.fromCodePoint(uri.codePointAt(at) ?? 0)
  return char === '%'
    ? 'The URI has a percent sign without two hexadecimal digits'
    : `The URI has the character ${JSON.stringify(char)}`
}

function templateFault(template: string): string | undefined {
  try {
    parseTemplate(template)
    return undefined
  } catch (error) {
    // Longer than this library takes is no fault of the template.
    if (!ShelfError.is(error, 'invalid-template') || error.details.reason === 'length') return undefined
    return `The template is refused at offset ${error.details.offset} (${error.details.reason})`
  }
}

interface MemberFault {
  readonly member: string
  readonly what: string
}

const TEXTS = ['title', 'description', 'mimeType']

function memberFaults(entry: UncheckedObject): readonly MemberFault[] {
  const faults: MemberFault[] = []
  const check = (member: string, isGood: (value: unknown) => boolean, what: string): void => {
    if (entry[member] !== undefined && !isGood(entry[member])) faults.push({ member, what })
  }
  if (typeof entry['name'] !== 'string')
    faults.push({ member: 'name', what: entry['name'] === undefined ? 'is missing' : 'is no text' })
  for (const member of TEXTS) check(member, (value) => typeof value === 'string', 'is no text')
  check('size', (value) => typeof value === 'number', 'is no number')
  check('_meta', isObject, 'is no object')
  check(
    'icons',
    (value) => Array.isArray(value) && value.every((one) => isObject(one) && typeof one['src'] === 'string'),
    'is no list of icons',
  )
  check('annotations', isAnnotations, 'has a value that the schema does not have')
  return faults
}

function isAnnotations(value: unknown): boolean {
  if (!isObject(value)) return false
  const { audience, priority } = value
  const audiences =
    audience === undefined || (Array.isArray(audience) && audience.every((one) => one === 'user' || one === 'assistant'))
  return audiences && (priority === undefined || (typeof priority === 'number' && priority >= 0 && priority <= 1))
}

/** Two URIs that are one by RFC 3986 section 6.2.2. */
export function isSameUri(one: string, other: string): boolean {
  return one === other || normal(one) === normal(other)
}

function normal(uri: string): string {
  try {
    return canonicalUri(uri)
  } catch {
    return uri
  }
}
