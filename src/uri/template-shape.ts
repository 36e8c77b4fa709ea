import type { CompiledTemplate, Elastic, Fragment, Head, Parameter, Query, Segment } from './compiled-template.ts'

export function segmentShape(segment: Segment): string {
  return typeof segment === 'string' ? segment : segment.shape
}

function elasticShape(part: Elastic): string {
  if (part.kind === 'reserved') return part.shape
  return part.places === Infinity ? '{/*}' : `{/${','.repeat(part.places - 1)}}`
}

const row = (segments: readonly Segment[]): string => segments.map((segment) => `${segmentShape(segment)}/`).join('')

/** The head with its names left out: equal for heads that match the same URIs by structure. */
export function headShape({ left, elastics, blocks, right }: Head): string {
  let shape = row(left)
  elastics.forEach((part, i) => {
    shape += `${elasticShape(part)}/${row(blocks[i] ?? [])}`
  })
  return shape + row(right)
}

function parameterShape({ name, required, value }: Parameter): string {
  return required ? `${name}=${segmentShape(value ?? '')}` : name
}

/** Parameters are equal in any order. */
function queryShape(query: Query): string {
  if (query.kind === 'none') return ''
  if (query.kind === 'set') return `{?${query.set.parameters.map(parameterShape).toSorted().join('&')}}`
  const rest = query.rest === undefined ? [] : [query.rest.shape]
  return `?${[...query.pieces.map(segmentShape), ...rest].join('&')}`
}

function fragmentShape(fragment: Fragment): string {
  if (fragment.kind === 'none') return ''
  return fragment.kind === 'optional' ? `{#${','.repeat(fragment.places - 1)}}` : `#${segmentShape(fragment.text)}`
}

/** The whole template with its names left out, but for those of its query: two of one shape are one too many. */
export function templateShape(compiled: CompiledTemplate): string {
  const { scheme, head, query, fragment } = compiled
  return `${scheme}:${headShape(head)}${queryShape(query)}${fragmentShape(fragment)}`
}
