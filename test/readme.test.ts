import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const root = new URL('../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8')
const readme = read('README.md')

test.each([
  ['README.md', 'examples/server.ts'],
  ['docs/providers/your-own.md', 'examples/provider.ts'],
])('%s shows %s as it is compiled', (page, example) => {
  const shown = new RegExp(`<!-- ${example} -->\\n\`\`\`ts\\n([\\s\\S]*?)\`\`\``).exec(read(page))?.[1]
  expect(shown).toBe(read(example))
})

describe('README.md', () => {
  test('is under 150 lines', () => {
    expect(readme.split('\n').length).toBeLessThan(150)
  })

  test('links to what is there', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => link!)
    expect(links.filter((link) => !existsSync(new URL(link, root)))).toEqual([])
  })
})
