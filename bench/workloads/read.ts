import type { Configuration } from '../measure/configuration.ts'
import { CONNECTIONS, WINDOW } from '../measure/configuration.ts'
import { rounds } from '../measure/rounds.ts'
import type { Era, Transport } from '../shelf.ts'
import { resourceUri, TEXT } from '../shelf.ts'
import type { Workload } from './workload.ts'
import { hasText, LIMIT, OURS, SDK1, SDK2 } from './workload.ts'

const RESOURCES = 10

/** W1: one read of a resource of 1 KiB of text, again and again. */
export const read: Workload = {
  name: 'W1',
  about: 'read of a text resource of 1 KiB',
  run: async (plan) => [
    {
      title: `W1 read of 1 KiB, HTTP, ${CONNECTIONS} connections`,
      unit: 'us CPU',
      goal: 'at most 55 us where the limit takes 32: 1.7x',
      rows: await rounds(
        [
          one(LIMIT, 'limit', 'http', 'legacy'),
          one(`${OURS}, modern`, 'ours', 'http', 'modern'),
          bounded('http'),
          one(`${OURS}, legacy`, 'ours', 'http', 'legacy'),
          one(`${SDK2}, modern`, 'sdk2', 'http', 'modern'),
          one(`${SDK2}, legacy`, 'sdk2', 'http', 'legacy'),
          one(`${SDK1}, legacy`, 'sdk1', 'http', 'legacy'),
        ],
        plan,
      ),
    },
    {
      title: `W1 read of 1 KiB, stdio, window of ${WINDOW}`,
      unit: 'us CPU',
      goal: 'at most 9 us where the limit takes 6.9: 1.3x; 4 us batched',
      rows: await rounds(
        [
          one(LIMIT, 'limit', 'stdio', 'legacy'),
          one(`${LIMIT}, one write a chunk`, 'limit', 'stdio', 'legacy', true),
          one(`${OURS}, modern`, 'ours', 'stdio', 'modern'),
          bounded('stdio'),
          one(`${OURS}, legacy`, 'ours', 'stdio', 'legacy'),
          one(`${SDK2}, modern`, 'sdk2', 'stdio', 'modern'),
          one(`${SDK2}, legacy`, 'sdk2', 'stdio', 'legacy'),
          one(`${SDK1}, legacy`, 'sdk1', 'stdio', 'legacy'),
        ],
        plan,
      ),
    },
  ],
}

/** With a time for each read and, over HTTP, a turn: as on the command line. */
function bounded(transport: Transport): Configuration {
  const { order, ...rest } = one(`${OURS}, modern, bounded`, 'ours', transport, 'modern')
  return { ...rest, order: { ...order, stock: { ...order.stock, bounded: true } } }
}

function one(name: string, program: string, transport: Transport, era: Era, batched = false): Configuration {
  return {
    name,
    program,
    order: { transport, era, stock: { resources: RESOURCES }, batched },
    question: { method: 'resources/read', params: { uri: resourceUri(RESOURCES - 1) } },
    check: hasText(TEXT),
  }
}
