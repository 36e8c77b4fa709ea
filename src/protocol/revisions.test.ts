import { describe, expect, it } from 'vitest'
import { FIRST_MODERN, isLegacy, isRevision, LATEST_LEGACY, MODERN_REVISIONS, REVISIONS } from './revisions.ts'
import type { RevisionFacts } from './revisions.ts'

const NAMES = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

describe('REVISIONS', () => {
  it('are the five published ones, oldest first', () => {
    expect(Object.keys(REVISIONS)).toEqual(NAMES)
    expect([LATEST_LEGACY, FIRST_MODERN, MODERN_REVISIONS]).toEqual(['2025-11-25', '2026-07-28', ['2026-07-28']])
  })

  // In the order of NAMES: y where the revision has it.
  it.each<[keyof RevisionFacts, string]>([
    ['title', '--yyy'],
    ['itemMeta', '--yyy'],
    ['lastModified', '--yyy'],
    ['icons', '---yy'],
    ['implementationText', '---yy'],
    ['completionContext', '--yyy'],
    ['completionsCapability', '-yyyy'],
    ['progressMessage', '-yyyy'],
    ['toolAnnotations', '-yyyy'],
    ['resourceLinks', '--yyy'],
    ['http', '-yyyy'],
    ['batches', '-y---'],
  ])('%s: %s', (fact, row) => {
    const seen = Object.values(REVISIONS).map((facts: RevisionFacts) => (facts[fact] === true ? 'y' : '-'))
    expect(seen.join('')).toBe(row)
  })

  it('are legacy up to 2025-11-25', () => {
    expect(Object.values(REVISIONS).map((facts) => facts.era)).toEqual(['legacy', 'legacy', 'legacy', 'legacy', 'modern'])
  })

  it('have no other facts than those above', () => {
    for (const facts of Object.values(REVISIONS)) expect(Object.keys(facts)).toHaveLength(13)
  })
})

describe('isRevision() and isLegacy()', () => {
  it.each([
    ['2024-11-05', true, true],
    ['2025-03-26', true, true],
    ['2025-06-18', true, true],
    ['2025-11-25', true, true],
    ['2026-07-28', true, false],
    ['2027-01-01', false, false],
    ['', false, false],
    ['toString', false, false],
    ['__proto__', false, false],
    [undefined, false, false],
    [20_251_125, false, false],
    [['2025-11-25'], false, false],
  ])('%j: %j, %j', (value, revision, legacy) => {
    expect([isRevision(value), isLegacy(value)]).toEqual([revision, legacy])
  })
})
