import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { expandTemplate } from './index.ts'

interface Group {
  readonly variables: Readonly<Record<string, string>>
  readonly testcases: readonly (readonly [template: string, expected: string | readonly string[] | false])[]
}

const root = new URL('../../', import.meta.url)
const folder = ['shared/vectors/rfc6570/', '../shared/vectors/rfc6570/']
  .map((path) => new URL(path, root))
  .find((url) => existsSync(url))
const files = ['spec-examples', 'spec-examples-by-section', 'extended-tests', 'negative-tests']

const groups: readonly (readonly [string, Group])[] =
  folder === undefined
    ? []
    : files.flatMap((file) =>
        Object.entries(JSON.parse(readFileSync(new URL(`${file}.json`, folder), 'utf8')) as Record<string, Group>).map(
          ([name, group]) => [`${file}: ${name}`, group] as const,
        ),
      )

describe.skipIf(folder === undefined)(
  'expandTemplate() prints the published RFC 6570 cases (skipped where shared/vectors is absent)',
  () => {
    it('finds all 270 of them', () => {
      expect(groups.reduce((sum, [, group]) => sum + group.testcases.length, 0)).toBe(270)
    })
    for (const [name, { variables, testcases }] of groups) {
      it(name, () => {
        for (const [template, expected] of testcases) {
          if (expected === false) {
            expect(() => expandTemplate(template, variables), template).toThrow(/refused|Variable/)
          } else {
            const accepted = typeof expected === 'string' ? [expected] : expected
            expect(accepted, template).toContain(expandTemplate(template, variables))
          }
        }
      })
    }
  },
)
