import { describe, it } from 'vitest'
import { orders } from '../../examples/provider.ts'
import { providerCases } from 'shelfmark/testing'

const rows = Array.from({ length: 25 }, (_, i) => ({ id: i + 1, note: `Note ${i}` }))

describe('the provider of docs/providers/your-own.md passes the suite', () => {
  const cases = providerCases(() =>
    orders({
      page: async (after, limit) => rows.filter(({ id }) => id > after).slice(0, limit),
      find: async (id) => rows.find((row) => row.id === id),
    }),
  )
  for (const { name, run } of cases) it(name, run)
})
