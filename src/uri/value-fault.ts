import { ShelfError } from '../errors.ts'
import type { ValueFault } from '../errors.ts'

const REASONS: Record<ValueFault, string> = {
  nul: 'it holds U+0000, which no URI may carry',
  map: 'a map prints and never comes back',
  list: 'a list needs `*` after the name, and has no prefix',
  absent: 'the template needs it, and names it',
  empty: 'empty, it prints nothing that a match could see',
  gap: 'it is absent before one that is present',
  triplet: 'a triplet in it is kept as it is and would be decoded',
  reserved: 'it holds a `?` or `#`, which would end it',
  separator: 'it holds what separates it from its neighbour',
  type: 'it is no well-formed text, number, boolean or list of these',
}

/** The error for a value that a template cannot print, or not carry there and back. */
export function invalidValues(template: string, variable: string, reason: ValueFault): ShelfError<'invalid-values'> {
  return new ShelfError('invalid-values', `Variable \`${variable}\` of \`${template}\`: ${REASONS[reason]} (${reason})`, {
    template,
    variable,
    reason,
  })
}
