import type { Configuration } from '../measure/configuration.ts'
import { rounds } from '../measure/rounds.ts'
import type { Era } from '../shelf.ts'
import type { Workload } from './workload.ts'
import { LIMIT, OURS, SDK2 } from './workload.ts'

const RESOURCES = 10_000
const PAGE = 200

/** W2: the first page of a list. */
export const list: Workload = {
  name: 'W2',
  about: `list of ${RESOURCES.toLocaleString('en')}, first page`,
  run: async (plan) => [
    {
      title: `W2 first page of ${RESOURCES.toLocaleString('en')}, HTTP`,
      unit: 'us CPU',
      goal: 'twice the limit for a page of 200; the official package gives all at once',
      rows: await rounds(
        [
          one(`${LIMIT}, page of ${PAGE}`, 'limit', 'legacy', PAGE),
          one(`${OURS}, modern, page of ${PAGE}`, 'ours', 'modern', PAGE),
          one(`${OURS}, legacy, page of ${PAGE}`, 'ours', 'legacy', PAGE),
          one(`${SDK2}, legacy, unpaged`, 'sdk2', 'legacy', RESOURCES),
        ],
        plan,
      ),
    },
  ],
}

function one(name: string, program: string, era: Era, items: number): Configuration {
  return {
    name,
    program,
    order: { transport: 'http', era, stock: { resources: RESOURCES } },
    question: { method: 'resources/list', params: {} },
    check: ({ resources }) => Array.isArray(resources) && resources.length === items,
  }
}
