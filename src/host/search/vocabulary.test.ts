import { describe, expect, it } from 'vitest'
import { Vocabulary } from './vocabulary.ts'

describe('Vocabulary.admits()', () => {
  it('takes in so many terms, keeps those, and refuses others for ever', () => {
    const vocabulary = new Vocabulary(2)
    expect(['a', 'b', 'a', 'c', 'b'].map((term) => vocabulary.admits(term))).toEqual([true, true, true, false, true])
    expect(vocabulary.isFull).toBe(true)
    expect(vocabulary.admits('c')).toBe(false)
  })
})
