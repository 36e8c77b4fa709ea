import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const root = new URL('../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8')
const readme = read('README.md')

test.each([
  ['README.md', 'examples/server.ts'],
  ['README.md', 'examples/client.ts'],
  ['docs/providers/your-own.md', 'examples/provider.ts'],
  ['docs/http.md', 'examples/fetch/server.ts'],
  ['docs/http.md', 'examples/jwt.ts'],
  ['docs/extension.md', 'examples/log.ts'],
  ['docs/client.md', 'examples/client.ts'],
  ['docs/gateway.md', 'examples/gateway.ts'],
  ['docs/policies.md', 'examples/policies/deadline.ts'],
  ['docs/policies.md', 'examples/policies/concurrency.ts'],
  ['docs/policies.md', 'examples/policies/rate.ts'],
  ['docs/policies.md', 'examples/policies/audit.ts'],
  ['docs/policies.md', 'examples/policies/redact.ts'],
  ['docs/policies.md', 'examples/policies/cache.ts'],
  ['docs/policies.md', 'examples/policies/limits.ts'],
  ['docs/policies.md', 'examples/access.ts'],
  ['docs/host.md', 'examples/tools.ts'],
  ['docs/adapters.md', 'examples/adapters/sdk.ts'],
  ['docs/adapters.md', 'examples/adapters/express.ts'],
  ['docs/adapters.md', 'examples/adapters/hono.ts'],
  ['docs/adapters.md', 'examples/adapters/fastify.ts'],
  ['docs/host.md', 'examples/host/select.ts'],
  ['docs/configuration.md', 'examples/config/shelfmark.yaml'],
])('%s shows %s as it is compiled', (page, example) => {
  const shown = new RegExp(`<!-- ${example} -->\\n\`\`\`(?:ts|yaml)\\n([\\s\\S]*?)\`\`\``).exec(read(page))?.[1]
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
