import type { CacheHint } from '../../protocol/index.ts'
import { uriKey } from '../../uri/index.ts'
import { byteLength } from '../byte-limits.ts'
import type { Call } from '../call.ts'
import { cutToRange } from '../cut-to-range.ts'
import type { PolicyStep } from '../define-policy.ts'
import type { Contents, Page, Reading, ReadRequest, ReadResult, Stat, Unchanged } from '../provider.ts'
import { wholeBytes } from '../whole-bytes.ts'
import type { FrozenCopy } from './frozen-copy.ts'
import { frozenCopy } from './frozen-copy.ts'

/** How an answer says that it may be kept; undefined for one that is never kept. */
export function hintOf({ operation, provider }: PolicyStep, result: object): { readonly hint?: CacheHint } | undefined {
  if (operation === 'complete') return {}
  if (operation === 'stat') return withHint((result as Stat).hint)
  if (operation !== 'read')
    return 'notices' in result && (result as Page<object>).notices !== undefined ? undefined : withHint(provider.listHint)
  const read = result as ReadResult
  return read.kind === 'contents' && read.range === undefined ? withHint(read.hint) : undefined
}

function withHint(hint: CacheHint | undefined): { readonly hint?: CacheHint } {
  return hint === undefined ? {} : { hint }
}

/** What several may have of an answer; undefined for what cannot be shared, which is as it was. A Reading is disposed then. */
export async function shareable(
  { operation }: PolicyStep,
  result: object,
  largest: number,
  call: Call,
): Promise<FrozenCopy<object> | undefined> {
  if (operation !== 'read') return frozenCopy(result)
  const read = result as ReadResult
  if (read.kind === 'unchanged') return frozenCopy(read)
  if (read.kind !== 'contents' || read.range !== undefined) return undefined
  const { contents, version, hint } = read
  if (contents.reduce((sum, one) => sum + bytesOf(one), 0) > largest) return undefined
  const heads = frozenCopy({
    kind: read.kind,
    ...(version !== undefined && { version }),
    ...(hint && { hint }),
    contents: contents.map((one) => ('text' in one ? one : { ...one, bytes: undefined })),
  })
  if (heads === undefined) return undefined
  try {
    let { bytes } = heads
    const whole: Contents[] = []
    for (const [i, one] of contents.entries()) {
      const head = heads.value.contents[i] as Contents
      if ('text' in one) whole.push(head)
      else {
        const body = new Uint8Array(await wholeBytes(one.bytes, largest, call))
        bytes += body.length
        whole.push(Object.freeze({ ...head, bytes: body }))
      }
    }
    return { value: Object.freeze({ ...heads.value, contents: Object.freeze(whole) }), bytes }
  } finally {
    await read[Symbol.asyncDispose]?.()
  }
}

function bytesOf(one: Contents): number {
  const bytes = 'text' in one ? 2 * one.text.length : byteLength(one.bytes)
  return Number.isSafeInteger(bytes) ? bytes : Infinity
}

/** The URIs that an answer is about, in normal form: what was asked for, and what came with it. */
export function urisOf({ operation, uri }: PolicyStep, value: object): readonly string[] {
  if (uri === undefined || operation === 'complete') return []
  if (operation !== 'read') return [uriKey(uri)]
  const others = 'contents' in value ? (value as Reading).contents.map((one) => one.uri) : []
  return [...new Set([uri, ...others].map(uriKey))]
}

/**
 * An answer to this request out of one that several have: no other caller notices what becomes of it.
 *
 * @param ttlMs how long it is still fresh, which is what it says of itself if it said anything
 */
export function answerFrom(step: PolicyStep, value: object, ttlMs: number): object | Promise<object> {
  if (step.operation === 'stat') return withTtl(value as Stat, ttlMs)
  return step.operation === 'read' ? readingFrom(step.request, withTtl(value as Reading | Unchanged, ttlMs)) : value
}

async function readingFrom(request: ReadRequest, kept: Reading | Unchanged): Promise<ReadResult> {
  if (kept.kind === 'unchanged') return kept
  if (request.ifVersion !== undefined && request.ifVersion === kept.version) return { kind: 'unchanged', version: kept.version }
  const reading = await cutToRange(kept, request)
  if (reading.contents !== kept.contents) return reading
  const contents = kept.contents.map((one) => ('text' in one ? one : { ...one, bytes: new Uint8Array(one.bytes as Uint8Array) }))
  return { ...kept, contents }
}

function withTtl<T extends object>(value: T & { readonly hint?: CacheHint }, ttlMs: number): T {
  return value.hint === undefined ? value : { ...value, hint: { ...value.hint, ttlMs: Math.max(0, Math.floor(ttlMs)) } }
}
