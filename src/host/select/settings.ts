import { ShelfError } from '../../errors.ts'
import { LONGEST_MS, requireCount, requireLimit } from '../../library/index.ts'
import { isMedium, MEDIA } from '../bytes/index.ts'
import type { Medium } from '../bytes/index.ts'
import type { SelectOptions } from './options.ts'

const COUNTS = { candidates: 50, limit: 12, listTokens: 3_000, perResourceBytes: 4 * 1024 * 1024 }
const TIMEOUT_MS = 30_000
const PARTS = { share: 0.3, threshold: 0.2 }

/** The numbers among the options. */
export type Settings = Readonly<Record<keyof typeof COUNTS | keyof typeof PARTS | 'budget' | 'timeoutMs', number>> & {
  readonly media: ReadonlyMap<Medium, number>
}

/** @throws ShelfError `invalid-option` */
export function settingsOf(options: SelectOptions): Settings {
  const count = (name: keyof typeof COUNTS): number => requireCount(name, options[name] ?? COUNTS[name], 0)
  return {
    media: mediaOf(options.media ?? {}),
    budget: requireCount('budget', options.budget, 1),
    candidates: count('candidates'),
    limit: count('limit'),
    listTokens: count('listTokens'),
    perResourceBytes: count('perResourceBytes'),
    timeoutMs: requireLimit('timeoutMs', options.timeoutMs ?? TIMEOUT_MS, 1, LONGEST_MS),
    share: requirePart('share', options.share ?? PARTS.share),
    threshold: requirePart('threshold', options.threshold ?? PARTS.threshold),
  }
}

function mediaOf(given: NonNullable<SelectOptions['media']>): ReadonlyMap<Medium, number> {
  const known = Object.entries(given).map(([medium, tokens]) => {
    if (isMedium(medium)) return [medium, requireCount(`media.${medium}`, tokens, 0)] as const
    throw new ShelfError('invalid-option', `"media" knows ${MEDIA.join(', ')}, got ${JSON.stringify(medium)}`, {
      option: 'media',
    })
  })
  return new Map(known)
}

function requirePart(option: string, value: number): number {
  if (value >= 0 && value <= 1) return value
  throw new ShelfError('invalid-option', `"${option}" takes a number from 0 to 1, got ${String(value)}`, { option })
}
