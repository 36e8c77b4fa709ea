import type { Resource } from '../../protocol/index.ts'
import { META_REDACTED } from '../../protocol/index.ts'
import { refuseLargerContents } from '../byte-limits.ts'
import type { Call } from '../call.ts'
import type { Policy, PolicyStep } from '../define-policy.ts'
import { definePolicy } from '../define-policy.ts'
import type { Contents, Page, Stat } from '../provider.ts'
import { amended } from '../resource-face.ts'
import { wholeBytes } from '../whole-bytes.ts'
import { requireCount } from './limit-option.ts'
import { secretsInBytes, withoutByteSpans } from './redacted-bytes.ts'
import type { SecretName, SecretPattern } from './secret-kinds.ts'
import { knownKind, ownKinds, SECRET_NAMES } from './secret-kinds.ts'
import type { SecretKind, SecretSpan } from './secret-span.ts'
import { secretsIn, withoutSpans } from './secret-span.ts'

/** That secrets were replaced, and never what they were. */
export interface Redaction {
  /** The URI of the contents. */
  readonly uri: string
  readonly name: string
  /** How many of this name were replaced in these contents. */
  readonly count: number
}

export interface RedactOptions {
  /** Which of the known kinds of secrets are looked for. Default: all of them. */
  readonly known?: readonly SecretName[]
  /** Secrets of one's own, looked for besides. */
  readonly patterns?: readonly SecretPattern[]
  /** The most bytes of a body that is looked into; a larger one is `too-large`. Default 16 MiB. */
  readonly maxBytes?: number
  /** Told of each read in which something was replaced, once for each name. What it throws is ignored. */
  readonly onRedact?: (redaction: Redaction) => void
}

/**
 * Replaces secrets in what is read by `[redacted:<name>]`: in text, and in bytes, since text of another encoding comes as
 * bytes. Only pictures, sound, video and fonts are left as they are, by their type. `_meta["dev.shelfmark/redacted"]` of
 * contents says how many there were.
 *
 * Looking takes a time that is linear in the body, whatever is in it, and so no regular expressions. A body is seen whole: a
 * range is cut out of what is left of it. Names, descriptions, URIs, completions and `_meta` are no contents, and stay.
 *
 * @throws ShelfError `invalid-option` for a name that is not known, or a pattern that is none
 */
export function redact(options: RedactOptions = {}): Policy {
  const { known = SECRET_NAMES, patterns = [], onRedact } = options
  const maxBytes = requireCount('maxBytes', options.maxBytes ?? 16 * 1024 * 1024, 1)
  const kinds = [...ownKinds(patterns), ...known.map(knownKind)]
  const tell = (uri: string, spans: readonly SecretSpan[]): void => {
    if (onRedact === undefined) return
    for (const [name, count] of countsOf(spans)) {
      try {
        onRedact({ uri, name, count })
      } catch {
        // Whoever counts decides nothing.
      }
    }
  }
  return definePolicy({
    name: 'redact',
    around: async (step, _call, next) => withoutSizes(step, await next()),
    reading: async (result, request, call) => {
      if (result.kind !== 'contents') return result
      refuseLargerContents(result.contents, request.maxBytes)
      const contents = await Promise.all(result.contents.map((one) => redacted(one, kinds, maxBytes, call, tell)))
      refuseLargerContents(contents, request.maxBytes)
      return amended(result, { contents })
    },
  })
}

async function redacted(
  one: Contents,
  kinds: readonly SecretKind[],
  maxBytes: number,
  call: Call,
  tell: (uri: string, spans: readonly SecretSpan[]) => void,
): Promise<Contents> {
  if ('text' in one) {
    refuseLargerContents([one], maxBytes)
    const spans = secretsIn(one.text, kinds)
    if (spans.length === 0) return one
    tell(one.uri, spans)
    return { ...one, text: withoutSpans(one.text, spans), _meta: { ...one._meta, [META_REDACTED]: spans.length } }
  }
  if (hasNoText(one.mimeType)) return one
  // What was looked at is what is given: a source may have something else by the time it is read again.
  const bytes = await wholeBytes(one.bytes, maxBytes, call)
  const spans = secretsInBytes(bytes, kinds)
  if (spans.length === 0) return { ...one, bytes }
  tell(one.uri, spans)
  return { ...one, bytes: withoutByteSpans(bytes, spans), _meta: { ...one._meta, [META_REDACTED]: spans.length } }
}

function countsOf(spans: readonly SecretSpan[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { name } of spans) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** Types of bytes that are not looked into. SVG is text. */
function hasNoText(mimeType: string | undefined): boolean {
  return mimeType !== undefined && /^(?:image|audio|video|font)\/(?![^;]*\bxml\b)/i.test(mimeType)
}

/** How large a body is without its secrets is known when it has been looked into, so nothing is said of it before. */
function withoutSizes<T>({ operation }: PolicyStep, result: T): T {
  if (operation === 'stat') {
    const stat = result as Stat
    return { ...result, resource: withoutSize(stat.resource) }
  }
  if (operation !== 'list' && operation !== 'children') return result
  const page = result as Page<Resource>
  return { ...result, items: page.items.map(withoutSize) }
}

function withoutSize(resource: Resource): Resource {
  if (resource.size === undefined || hasNoText(resource.mimeType)) return resource
  const { size: _size, ...rest } = resource
  return rest
}
