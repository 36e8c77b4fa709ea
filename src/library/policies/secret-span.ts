/** Where a secret stands in a text, from its first UTF-16 unit to the one after its last. */
export interface SecretSpan {
  readonly start: number
  readonly end: number
  /** What kind of secret it is. */
  readonly name: string
}

/** Tells of each secret of one kind in a text, in time that is linear in its length, whatever the text. */
export type SecretScan = (text: string, found: (start: number, end: number) => void) => void

/** One kind of secret. */
export interface SecretKind {
  readonly name: string
  readonly scan: SecretScan
}

/** The secrets in a text in order, those that overlap as one, which has the name of the one that begins first. */
export function secretsIn(text: string, kinds: readonly SecretKind[]): readonly SecretSpan[] {
  const spans: SecretSpan[] = []
  for (const { name, scan } of kinds) scan(text, (start, end) => spans.push({ start, end, name }))
  return joined(spans)
}

/** Spans in order, those that overlap as one. */
export function joined<T extends SecretSpan>(spans: readonly T[]): readonly T[] {
  if (spans.length < 2) return spans
  const all: T[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = all.at(-1)
    if (last === undefined || span.start >= last.end) all.push(span)
    else if (span.end > last.end) all[all.length - 1] = { ...last, end: span.end }
  }
  return all
}

/** What stands in the place of a secret. No kind of secret matches it. */
export function redactionOf(name: string): string {
  return `[redacted:${name}]`
}

/** A text with its secrets replaced. */
export function withoutSpans(text: string, spans: readonly SecretSpan[]): string {
  let rest = 0
  let redacted = ''
  for (const { start, end, name } of spans) {
    redacted += text.slice(rest, start) + redactionOf(name)
    rest = end
  }
  return redacted + text.slice(rest)
}
