import { ShelfError } from '../errors.ts'
import type { TemplateFault } from '../errors.ts'

const ADVICE: Record<TemplateFault, string> = {
  unclosed: 'close the expression with `}`',
  'stray-brace': 'braces enclose one expression and are not nested; write %7B and %7D for the characters',
  empty: 'an expression names at least one variable, and one after each comma',
  operator: 'the operators are + # . / ; ? &, and `*` stands after the name',
  name: 'names are letters, digits, _, triplets and single inner dots: write user_id for user-id, triplets for other letters',
  percent: 'a percent sign is followed by two hexadecimal digits; write %25 for the sign itself',
  character: 'control characters and lone surrogates have no place in a template; write triplets',
  modifier: 'a modifier is `*` or `:` and a length from 1 to 9999, once',
  'no-scheme': 'a resource template begins with a literal scheme, such as `note://`',
  'scheme-variable': 'the scheme is literal text: the table and access rules hang on it',
  adjacent: 'put literal text between two variables, else nothing says where one ends',
  'two-elastic': 'between two parts of varying length stand whole segments, one of them literal text; at most 4 parts',
  'slash-tail': 'after {/v} only /, {/, a query, a fragment or the end may follow',
  'explode-order': 'a list takes the rest: put it last in its expression',
  'label-run': 'one run of labels in a segment, a list of labels alone and after literal text',
  'matrix-tail': 'matrix parameters end their segment, which holds no other `;`',
  'no-query': 'write {?a} for the first parameters',
  'second-query': 'one question mark: write {?a,b} or ?z=1{&a}',
  'query-join': 'prints & without ? when the first is absent: write {?a,b} or ?z=1{&a}',
  'query-tail': 'nothing is glued to query parameters, and no pair is empty',
  'query-order': 'a continuation needs name=value pairs before it, and {+v} takes the rest of a query',
  'operator-here': 'this operator belongs to the path',
  'fragment-tail': 'the fragment is last',
  repeated: 'one name has one value: not both string and list, and once in a query',
  prefix: 'a prefix loses the rest of the value: name the variable in full too, and without {+} or {#}',
  variables: 'at most 32 variables',
  length: 'at most 2,048 characters to match, 65,536 to expand',
  duplicate: 'it matches the same URIs as another template',
  overlap: 'it and another template match the same URIs, and neither is the narrower one',
  crowd: 'more than 64 templates share this path; tell them apart by a fixed parameter',
}

/** The one error for a template that does not parse, may not be registered, or conflicts with another. */
export function templateFault(
  template: string,
  reason: TemplateFault,
  offset: number,
  other?: string,
): ShelfError<'invalid-template'> {
  const shown = template.length > 200 ? `${template.slice(0, 200)}...` : template
  const against = other === undefined ? '' : ` (${other})`
  return new ShelfError(
    'invalid-template',
    `Template \`${shown}\` is refused at offset ${offset} (${reason}): ${ADVICE[reason]}${against}`,
    { template, reason, offset, ...(other === undefined ? {} : { other }) },
  )
}
