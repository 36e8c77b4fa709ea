import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KINDS } from '../kinds/index.ts'
import type { Kind } from '../kinds/index.ts'
import { fit } from './fit.ts'
import { openTokenCounter } from './token-counter.ts'

const counter = await openTokenCounter('estimate')
const section = (title: string, text: string) => `## ${title}\n\n${text}\n\n`
const manual = [
  '# Manual\n\n',
  section('Install', 'Download the archive and unpack it. '.repeat(12)),
  section('Configure', 'Set the port in the file of settings. '.repeat(12)),
  section('Trouble', 'When the printer is on fire, pull the plug. '.repeat(12)),
  section('Licence', 'Everybody may use it for everything. '.repeat(12)),
].join('')

describe('fit()', () => {
  it('gives the whole of what fits', () => {
    expect(fit('short', 'text', { budget: 10, counter })).toEqual({
      form: 'whole',
      parts: [{ text: 'short', start: 0, end: 5 }],
      outline: '',
      tokens: 2,
      leftOut: undefined,
    })
  })

  it('gives the passages that answer a question, with what there is, and says what is left out', () => {
    const fitted = fit(manual, 'markdown', { budget: 240, counter, question: 'What if the printer burns: fire?' })!
    expect(fitted.form).toBe('passages')
    expect(fitted.outline).toBe('Manual\n  Install\n  Configure\n  Trouble\n  Licence\n')
    expect(fitted.parts.map(({ title }) => title)).toContain('Trouble')
    expect(fitted.parts.map(({ text }) => text).join('')).toContain('pull the plug')
    expect(fitted.tokens).toBeLessThanOrEqual(240)
    const here = fitted.parts.reduce((sum, { text }) => sum + text.length, 0)
    expect(fitted.leftOut).toEqual({ characters: manual.length - here, advice: 'read the resource itself, or a range of it' })
  })

  it('gives the beginning where nothing is asked, the head and both ends of a table, and the end of a log too', () => {
    expect(fit(manual, 'markdown', { budget: 240, counter })!.parts[0]!.start).toBe(0)
    const rows = `id,name\n${Array.from({ length: 2_000 }, (_, i) => `${i},name ${i}\n`).join('')}`
    const table = fit(rows, 'table', { budget: 600, counter })!
    expect(table.parts[0]!.text.startsWith('id,name\n')).toBe(true)
    expect(table.parts.at(-1)!.text.endsWith('1999,name 1999\n')).toBe(true)
    const log = fit(rows, 'log', { budget: 600, counter })!
    expect(log.parts.at(-1)!.text.endsWith('1999,name 1999\n')).toBe(true)
  })

  it('gives the beginning of a part where no whole one fits', () => {
    const fitted = fit('word '.repeat(2_000), 'text', { budget: 30, counter })!
    expect([fitted.form, fitted.parts.length, fitted.parts[0]!.start]).toEqual(['passages', 1, 0])
    expect(fitted.tokens).toBeLessThanOrEqual(30)
  })

  it('gives nothing where there is no room for anything', () => {
    expect(fit(manual, 'markdown', { budget: 5, counter })).toBe(undefined)
    expect(fit(manual, 'markdown', { budget: 0, counter })).toBe(undefined)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5])('refuses a budget of %d', (budget) => {
    expect(() => fit(manual, 'markdown', { budget, counter })).toThrow(expect.objectContaining({ code: 'invalid-option' }))
  })

  it('takes time in proportion to a text without seams, and to the marks of one character', () => {
    const time = (length: number) => {
      const text = `${'\u0301\u0316'.repeat(length / 2)} word\n\n`.repeat(2)
      let best = Number.POSITIVE_INFINITY
      for (let i = 0; i < 3; i++) {
        const begun = performance.now()
        fit(text, 'text', { budget: 30, counter, question: 'word' })
        best = Math.min(best, performance.now() - begun)
      }
      return best
    }
    time(1_000)
    expect(time(64_000) / Math.max(time(8_000), 2)).toBeLessThan(32)
  })

  it('never gives more than the budget, and parts in their order as they stand', () => {
    const texts = fc.string({
      unit: fc.constantFrom('word ', '# h\n', '\n\n', '𝒳', 'x'.repeat(300), 'a,b\n', 'key: 1\n'),
      maxLength: 300,
    })
    const kinds = fc.constantFrom(...(Object.keys(KINDS) as Kind[]))
    fc.assert(
      fc.property(texts, kinds, fc.nat(400), fc.constantFrom('', 'word key', '\u0000'), (text, kind, budget, question) => {
        const fitted = fit(text, kind, { budget, counter, question })
        if (fitted === undefined) return
        expect(fitted.tokens).toBeLessThanOrEqual(budget)
        let at = 0
        for (const part of fitted.parts) {
          expect(part.start).toBeGreaterThanOrEqual(at)
          expect(text.slice(part.start, part.end)).toBe(part.text)
          expect(part.text.isWellFormed()).toBe(true)
          at = part.end
        }
        if (fitted.form === 'whole') expect(fitted.parts.map((part) => part.text).join('')).toBe(text)
      }),
    )
  })
})
