import { isUtf8 } from 'node:buffer'
import type { UncheckedObject } from '../../../protocol/index.ts'
import { isObject } from '../../../protocol/index.ts'
import { bytesOf, isBinaryType, isDecodedBinary, isTextType, mayBe } from '../content-type.ts'
import type { Rule } from '../finding.ts'
import type { Report } from '../report.ts'

const SHAPE: Rule = {
  id: 'contents-shape',
  says: 'The result of `resources/read` has no array `contents`, or one of its items is no object, has neither `text` nor `blob`, or has a member of a wrong type.',
  advice: 'Give `contents` as an array of objects with `uri` and either `text` or `blob`.',
  cites: [{ severity: 'error', section: 'server/resources#resource-contents' }],
}

const WITHOUT_URI: Rule = {
  id: 'contents-without-uri',
  says: 'An item of `contents` has no `uri` that is text.',
  advice: 'Repeat the URI in every item of `contents`: official clients refuse the answer without it.',
  cites: [{ severity: 'error', section: 'server/resources#resource-contents' }],
}

const BASE64: Rule = {
  id: 'invalid-base64',
  says: 'A `blob` is no base64 with padding in the standard alphabet.',
  advice: 'Encode bytes by RFC 4648 section 4: +, / and padding, no line breaks, no `data:` in front.',
  cites: [{ severity: 'error', section: 'server/resources#security-considerations' }],
}

const TEXT_AND_BLOB: Rule = {
  id: 'text-and-blob',
  says: 'An item of `contents` has both `text` and `blob`.',
  advice: 'Give one of them: `text` if the contents are text, else `blob`.',
  cites: [{ severity: 'warning', section: 'server/resources#resource-contents' }],
}

const BINARY_AS_TEXT: Rule = {
  id: 'binary-as-text',
  says: '`text` holds what is no text: its type is of images, sound, films, PDF or archives, or it is bytes that were decoded as text.',
  advice: 'Send bytes as base64 in `blob`.',
  cites: [{ severity: 'warning', section: 'server/resources#resource-contents' }],
}

const TEXT_AS_BLOB: Rule = {
  id: 'text-as-blob',
  says: 'A `blob` of a text type holds UTF-8 text.',
  advice: 'Send it in `text`: many hosts show nothing of a blob.',
  cites: [{ severity: 'info', section: 'server/resources#resource-contents' }],
}

const OTHER_BYTES: Rule = {
  id: 'mime-content',
  says: 'The bytes of a `blob` do not begin as its `mimeType` has to.',
  advice: 'Tell the type that the bytes are of, or none.',
  cites: [{ severity: 'warning', section: 'server/resources#resource-contents' }],
}

export const CONTENTS_RULES: readonly Rule[] = [
  SHAPE,
  WITHOUT_URI,
  BASE64,
  TEXT_AND_BLOB,
  BINARY_AS_TEXT,
  TEXT_AS_BLOB,
  OTHER_BYTES,
]

/** One body that is as it should be, by its form. */
export interface Body {
  readonly uri: string
  readonly mimeType: string | undefined
  /** Its length in bytes. */
  readonly size: number
  /** Whether it is text, or bytes that could be sent as text. */
  readonly isText: boolean
}

/** The bodies of a result of `resources/read`; what is wrong with any is reported. Undefined without an array of them. */
export function checkContents(report: Report, subject: string, result: UncheckedObject): readonly Body[] | undefined {
  const { contents } = result
  if (!Array.isArray(contents)) {
    report.add(SHAPE, { subject, message: 'The result has no array contents', evidence: result })
    return undefined
  }
  return (contents as unknown[]).flatMap((item) => {
    const body = checkBody(report, subject, item)
    return body === undefined ? [] : [body]
  })
}

function checkBody(report: Report, subject: string, item: unknown): Body | undefined {
  if (!isObject(item)) {
    report.add(SHAPE, { subject, message: 'An item of contents is no object', evidence: item })
    return undefined
  }
  const { uri, mimeType, text, blob } = item
  if (typeof uri !== 'string') report.add(WITHOUT_URI, { subject, message: 'An item of contents has no uri', evidence: item })
  const fault = shapeFault(item)
  if (fault !== undefined) {
    report.add(SHAPE, { subject, message: fault, evidence: item })
    return undefined
  }
  if (typeof text === 'string' && typeof blob === 'string')
    report.add(TEXT_AND_BLOB, { subject, message: 'An item of contents has both text and blob', evidence: item })
  const type = typeof mimeType === 'string' ? mimeType : undefined
  const form = typeof text === 'string' ? checkText(report, subject, type, text) : checkBlob(report, subject, type, String(blob))
  return form === undefined || typeof uri !== 'string' ? undefined : { uri, mimeType: type, ...form }
}

function shapeFault({ mimeType, text, blob }: UncheckedObject): string | undefined {
  if (mimeType !== undefined && typeof mimeType !== 'string') return 'mimeType of contents is no text'
  if (text === undefined && blob === undefined) return 'An item of contents has neither text nor blob'
  if (text !== undefined && typeof text !== 'string') return 'text of contents is no text'
  if (blob !== undefined && typeof blob !== 'string') return 'blob of contents is no text'
  return undefined
}

type Form = Pick<Body, 'size' | 'isText'>

function checkText(report: Report, subject: string, type: string | undefined, text: string): Form {
  if (text !== '' && type !== undefined && isBinaryType(type))
    report.add(BINARY_AS_TEXT, { subject, message: `Contents of type ${type} are sent as text`, evidence: text.slice(0, 100) })
  else if (isDecodedBinary(text))
    report.add(BINARY_AS_TEXT, { subject, message: 'The text is bytes that were decoded and lost', evidence: text.slice(0, 100) })
  return { size: Buffer.byteLength(text), isText: true }
}

function checkBlob(report: Report, subject: string, type: string | undefined, blob: string): Form | undefined {
  const bytes = bytesOf(blob)
  if (bytes === undefined) {
    report.add(BASE64, { subject, message: 'The blob is no base64', evidence: blob.slice(0, 100) })
    return undefined
  }
  if (type !== undefined && !mayBe(type, bytes))
    report.add(OTHER_BYTES, {
      subject,
      message: `The bytes are none of ${type}`,
      evidence: `${bytes.toString('hex', 0, 16)} (hexadecimal)`,
    })
  const isText = isUtf8(bytes) && !bytes.includes(0)
  if (bytes.length > 0 && type !== undefined && isTextType(type) && isText)
    report.add(TEXT_AS_BLOB, {
      subject,
      message: `Text of type ${type} is sent as a blob`,
      evidence: bytes.toString('utf8', 0, 100),
    })
  return { size: bytes.length, isText }
}
