import type { Configuration } from '../measure/configuration.ts'
import { rounds } from '../measure/rounds.ts'
import type { Transport } from '../shelf.ts'
import { templateUri, TEXT } from '../shelf.ts'
import type { Workload } from './workload.ts'
import { hasText, LIMIT, OURS, SDK1, SDK2 } from './workload.ts'

/** W3: a read through the template that was registered last. */
export const template: Workload = {
  name: 'W3',
  about: 'read through the last of many templates',
  run: async (plan) => [
    {
      title: 'W3 templated read, stdio',
      unit: 'us CPU',
      goal: 'among 5,000 within 1.3x of among 1, and within 5 us of W1; the official packages only to 100',
      rows: await rounds(
        [
          one(LIMIT, 'limit', 'stdio', 1),
          ...[1, 100, 1_000, 5_000].map((count) => one(OURS, 'ours', 'stdio', count)),
          ...[1, 100].map((count) => one(SDK2, 'sdk2', 'stdio', count)),
          ...[1, 100].map((count) => one(SDK1, 'sdk1', 'stdio', count)),
        ],
        plan,
      ),
    },
    {
      title: 'W3 templated read, HTTP',
      unit: 'us CPU',
      goal: 'among 5,000 within 5 us of W1',
      rows: await rounds([one(LIMIT, 'limit', 'http', 1), ...[1, 5_000].map((count) => one(OURS, 'ours', 'http', count))], plan),
    },
  ],
}

function one(name: string, program: string, transport: Transport, count: number): Configuration {
  return {
    name: `${name}, ${count.toLocaleString('en')} template${count === 1 ? '' : 's'}`,
    program,
    order: { transport, era: 'legacy', stock: { templates: count } },
    question: { method: 'resources/read', params: { uri: templateUri(count - 1) } },
    check: hasText(TEXT),
  }
}
