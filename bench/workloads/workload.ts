import type { Plan } from '../measure/configuration.ts'
import type { Table } from '../measure/table.ts'

/** One question about speed, asked of ours, of the official packages, and of Node alone. */
export interface Workload {
  /** `W1` and so on. */
  readonly name: string
  readonly about: string
  run(plan: Plan): Promise<readonly Table[]>
}

/** What a server program is, in tables. */
export const LIMIT = 'Node alone'
export const OURS = 'shelfmark'
export const SDK2 = 'official 2.4.0'
export const SDK1 = 'official 1.32.2'

/** Whether a result holds this text as its only contents. */
export function hasText(text: string): (result: Record<string, unknown>) => boolean {
  return ({ contents }) =>
    Array.isArray(contents) && contents.length === 1 && (contents[0] as { text?: unknown } | undefined)?.text === text
}
