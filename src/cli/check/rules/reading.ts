import { RESOURCES_LIST, RESOURCES_READ } from '../../../protocol/index.ts'
import type { UncheckedObject } from '../../../protocol/index.ts'
import { isObject } from '../../../protocol/index.ts'
import { essence, isTextType } from '../content-type.ts'
import type { Rule } from '../finding.ts'
import type { Listed } from '../listed.ts'
import { spread } from '../listed.ts'
import type { Probe } from '../probe.ts'
import { codeOf, isReserved, resultOf, said, shownOf } from '../raw-answer.ts'
import type { RawAnswer } from '../raw-answer.ts'
import { checkHints } from './caching.ts'
import type { Body } from './contents.ts'
import { checkContents } from './contents.ts'
import { isSameUri } from './items.ts'

const UNREADABLE: Rule = {
  id: 'listed-unreadable',
  says: 'A listed resource is answered with an error, twice, and is still listed in between. Not of `http(s)` URIs, which a client may fetch itself.',
  advice: 'List what can be read now, and read what is listed.',
  cites: [
    { severity: 'warning', section: 'server/resources#listing-resources', until: '2025-11-25' },
    { severity: 'error', section: 'server/resources#capabilities', from: '2026-07-28' },
  ],
}

const REFUSED: Rule = {
  id: 'read-refused',
  says: 'A listed resource is refused with an error code of the server’s own.',
  advice: 'Nothing, if that is meant; else see what the message says.',
  cites: [{ severity: 'info', section: 'server/resources#error-handling' }],
}

const MIME: Rule = {
  id: 'mime-differs',
  says: 'A resource is listed with one `mimeType` and read with another. Parameters do not count, nor does `application/octet-stream` for bytes that are no text although a text type is listed: that is only seen by reading.',
  advice: 'Tell the same type in both, or none in the list where it is not known.',
  cites: [{ severity: 'warning', section: 'server/resources#resource' }],
}

const SIZE: Rule = {
  id: 'size-differs',
  says: 'A resource has another number of bytes than it is listed with, in two reads, and in the list again.',
  advice: 'List the bytes of the contents before base64, or no `size`.',
  cites: [{ severity: 'warning', section: 'server/resources#resource' }],
}

export const READING_RULES: readonly Rule[] = [UNREADABLE, REFUSED, MIME, SIZE]

/** Failures of one kind are looked at twice so often. */
const MOST_LOOKS = 10

/** Reads listed resources, spread over the list. */
export async function checkReading(probe: Probe, resources: readonly Listed[]): Promise<void> {
  const { limits } = probe
  const sample = spread(resources, limits.sample)
  if (sample.length < resources.length)
    probe.skipped.push(`${resources.length - sample.length} of ${resources.length} listed resources were not read`)
  let looks = MOST_LOOKS
  for (const [index, resource] of sample.entries()) {
    if (probe.over) {
      probe.skipped.push(`${sample.length - index} listed resources, since ${probe.why}`)
      return
    }
    probe.tell(`${index + 1} of ${sample.length} resources read ...`)
    const suspect = await readOne(probe, resource)
    if (suspect && looks-- > 0) await lookAgain(probe, resource)
  }
}

/** Whether something is odd that a change since the listing would explain. */
async function readOne(probe: Probe, resource: Listed): Promise<boolean> {
  const { report } = probe
  const { uri } = resource
  const answer = await read(probe, uri)
  const code = codeOf(answer)
  if (code !== undefined && !isReserved(code)) {
    report.add(REFUSED, { subject: uri, message: `A listed resource ${said(answer)}`, evidence: shownOf(answer) })
    return false
  }
  if (answer.kind === 'error') return !/^https?:/i.test(uri)
  const result = resultOf(answer)
  if (result === undefined) return false
  checkHints(report, RESOURCES_READ.method, uri, result)
  const body = bodyOf(resource, checkContents(report, uri, result))
  if (body === undefined) return false
  checkMime(probe, resource, body)
  return sizeDiffers(resource, body)
}

/** The body that is of the resource itself: reading a directory may give those of others. */
function bodyOf({ uri, mimeType }: Listed, bodies: readonly Body[] | undefined): Body | undefined {
  const own = (bodies ?? []).filter((body) => isSameUri(body.uri, uri))
  return own.length === 1 && mimeType !== 'inode/directory' ? own[0] : undefined
}

function checkMime({ report }: Probe, { uri, mimeType }: Listed, body: Body): void {
  if (mimeType === undefined || body.mimeType === undefined || essence(mimeType) === essence(body.mimeType)) return
  if (isTextType(mimeType) && essence(body.mimeType) === 'application/octet-stream' && !body.isText) return
  report.add(MIME, {
    subject: uri,
    message: `It is listed as ${mimeType} and read as ${body.mimeType}`,
    evidence: { listed: mimeType, read: body.mimeType },
  })
}

function sizeDiffers({ size }: Listed, body: Body): boolean {
  return size !== undefined && size !== body.size
}

/** Lists and reads once more: what was true of both times was no change. */
async function lookAgain(probe: Probe, before: Listed): Promise<void> {
  const { report } = probe
  const { uri, cursor } = before
  const listed = itemOf(await probe.ask(RESOURCES_LIST.method, cursor === undefined ? {} : { cursor }), uri)
  if (listed === undefined || listed['size'] !== before.size) return
  const answer = await read(probe, uri)
  if (answer.kind === 'error')
    return report.add(UNREADABLE, { subject: uri, message: `A listed resource ${said(answer)}`, evidence: shownOf(answer) })
  const result = resultOf(answer)
  if (result === undefined) return
  const body = bodyOf(before, checkContents(report, uri, result))
  if (body !== undefined && sizeDiffers(before, body))
    report.add(SIZE, {
      subject: uri,
      message: `It is listed with ${before.size} bytes and read with ${body.size}`,
      evidence: { listed: before.size, read: body.size },
    })
}

function itemOf(answer: RawAnswer, uri: string): UncheckedObject | undefined {
  const items = resultOf(answer)?.['resources']
  if (!Array.isArray(items)) return undefined
  return (items as unknown[]).filter(isObject).find((item) => item['uri'] === uri)
}

/** One read as it comes. */
export function read(probe: Probe, uri: string): Promise<RawAnswer> {
  return probe.ask(RESOURCES_READ.method, { uri }, { subject: uri })
}
