import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { RULE_BOOK } from '../../src/cli/check/rule-book.ts'
import { docsOf } from './rule-docs.ts'

const rules = RULE_BOOK.flatMap(([, some]) => some)
const here = new URL('./', import.meta.url)

describe('RULE_BOOK', () => {
  it('is what docs/check.md says, word for word', () => {
    const docs = readFileSync(new URL('../../docs/check.md', here), 'utf8')
    expect(docs.slice(docs.indexOf('### Answers'))).toBe(docsOf(RULE_BOOK))
  })

  it('has each rule once', () => {
    const ids = rules.map(({ id }) => id)
    expect(ids.length).toBe(new Set(ids).size)
  })

  it('has at most one citation of a rule for a revision', () => {
    const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
    for (const { id, cites } of rules)
      for (const revision of revisions) {
        const some = cites.filter(({ from = '', until = '9' }) => from <= revision && revision <= until)
        expect([id, some.length <= 1]).toEqual([id, true])
      }
  })

  it('has a test of each rule, by its name', () => {
    const tests = ['./', '../e2e/'].flatMap((folder) => {
      const path = new URL(folder, here)
      const names = readdirSync(path).filter((name) => name.startsWith('check') && name.endsWith('.test.ts'))
      return names.map((name) => readFileSync(new URL(name, path), 'utf8'))
    })
    const words = tests.join('\n')
    const isTested = (id: string): boolean => new RegExp(`['\`](?:(?:error|warning|info) )?${id}['\\s:]`).test(words)
    expect(rules.map(({ id }) => id).filter((id) => !isTested(id))).toEqual([])
  })
})
