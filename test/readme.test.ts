import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const root = new URL('../', import.meta.url)
const readme = readFileSync(new URL('README.md', root), 'utf8')

describe('README.md', () => {
  test('is under 150 lines', () => {
    expect(readme.split('\n').length).toBeLessThan(150)
  })

  test('shows the examples as they are compiled', () => {
    const shown = [...readme.matchAll(/<!-- (examples\/\S+) -->\n```ts\n([\s\S]*?)```/g)]
    expect(shown.map(([, file]) => file)).toEqual(['examples/server.ts'])
    for (const [, file, text] of shown) expect(text).toBe(readFileSync(new URL(file!, root), 'utf8'))
  })

  test('links to what is there', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => link!)
    expect(links.filter((link) => !existsSync(new URL(link, root)))).toEqual([])
  })
})
