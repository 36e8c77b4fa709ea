import { ShelfError } from '../../errors.ts'
import type { TokenCounter } from '../budget/index.ts'
import type { Asker, SearchHit } from '../search/index.ts'
import { serverOf } from '../search/index.ts'
import type { Chooser, ChooserCandidate, ChooserPick } from './chooser.ts'

/** Of what a server says, in UTF-16 units. */
const LONGEST = { name: 120, title: 120, description: 300, uri: 300 }
/** Of what a chooser says. */
const LONGEST_REASON = 200

export interface ChooserQuestion {
  readonly question: string
  readonly hits: readonly SearchHit[]
  readonly budget: number
  readonly limit: number
  /** Tokens for the list of what may be chosen. */
  readonly listTokens: number
  readonly counter: TokenCounter
}

export interface ChooserAnswer {
  /** Each once, the best first. */
  readonly picked: readonly { readonly hit: SearchHit; readonly reason: string }[]
  /** Those for which there was no room in the list. */
  readonly unseen: ReadonlySet<SearchHit>
}

/**
 * What a chooser chooses, of what it was shown.
 *
 * @throws ShelfError `invalid-answer` where it names nothing that it was shown; `timeout`; what the chooser throws
 */
export async function askChooser(chooser: Chooser, asker: Asker, asked: ChooserQuestion): Promise<ChooserAnswer> {
  const { question, hits, budget, limit, listTokens, counter } = asked
  const shown = new Map<string, SearchHit>()
  const candidates: ChooserCandidate[] = []
  const unseen = new Set<SearchHit>()
  let left = listTokens
  for (const hit of hits) {
    const candidate = candidateOf(String(shown.size + 1), hit)
    const tokens = counter.count(`${JSON.stringify(candidate)}\n`)
    if (tokens > left) {
      unseen.add(hit)
      continue
    }
    left -= tokens
    shown.set(candidate.id, hit)
    candidates.push(candidate)
  }
  const picks: unknown = await asker.ask(({ signal }) => chooser.choose({ question, candidates, budget, limit, signal }))
  if (!Array.isArray(picks)) throw odd('no list')
  const picked = new Map<SearchHit, string>()
  for (const pick of picks as readonly (Partial<ChooserPick> | null)[]) {
    const hit = shown.get(String(pick?.id))
    if (hit !== undefined && !picked.has(hit)) picked.set(hit, printable(pick?.reason))
  }
  if (picks.length > 0 && picked.size === 0) throw odd('nothing that it was shown')
  return { picked: [...picked].map(([hit, reason]) => ({ hit, reason })), unseen }
}

function candidateOf(id: string, { resource, kind }: SearchHit): ChooserCandidate {
  const { uri, name, title, description, size } = resource
  const server = serverOf(resource)
  return {
    id,
    name: cut(name, LONGEST.name),
    ...(title !== undefined && { title: cut(title, LONGEST.title) }),
    ...(description !== undefined && { description: cut(description, LONGEST.description) }),
    uri: cut(uri, LONGEST.uri),
    ...(server !== undefined && { server }),
    kind,
    ...(size !== undefined && { size }),
  }
}

function cut(text: string, most: number): string {
  return (text.length <= most ? text : `${text.slice(0, most)}…`).toWellFormed()
}

/** One line without what moves the cursor of a terminal or turns letters round. */
function printable(text: unknown): string {
  return typeof text === 'string' ? cut(text.replace(/[\p{C}\s]+/gu, ' ').trim(), LONGEST_REASON) : ''
}

function odd(came: string): ShelfError {
  return new ShelfError('invalid-answer', `Wanted resources of the list that was given, got ${came}`, { method: 'choose' })
}
