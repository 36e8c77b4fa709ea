import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Configuration } from '../measure/configuration.ts'
import { rounds } from '../measure/rounds.ts'
import type { Era, Transport } from '../shelf.ts'
import { FILE_NAME, TEXT } from '../shelf.ts'
import type { Workload } from './workload.ts'
import { hasText, LIMIT, OURS } from './workload.ts'

/** W1f: the same read of a file, opened so that nothing outside the folder can be reached. */
export const readFile: Workload = {
  name: 'W1f',
  about: 'read of a file of 1 KiB',
  run: async (plan) => {
    const folder = mkdtempSync(join(tmpdir(), 'shelfmark-bench-'))
    writeFileSync(join(folder, FILE_NAME), TEXT)
    const one = (name: string, program: string, transport: Transport, era: Era): Configuration => ({
      name,
      program,
      order: { transport, era, stock: { folder } },
      question: { method: 'resources/read', params: { uri: `file:///bench-shelf/${FILE_NAME}` } },
      threads: true,
      check: hasText(TEXT),
    })
    const goal = 'at most 1.5x of open, fstat, readlink, read and close'
    try {
      const http = await rounds(
        [
          one(`${LIMIT}, five calls`, 'limit', 'http', 'legacy'),
          one(`${OURS}, modern`, 'ours', 'http', 'modern'),
          one(`${OURS}, legacy`, 'ours', 'http', 'legacy'),
        ],
        plan,
      )
      const stdio = await rounds(
        [one(`${LIMIT}, five calls`, 'limit', 'stdio', 'legacy'), one(`${OURS}, legacy`, 'ours', 'stdio', 'legacy')],
        plan,
      )
      return [
        { title: 'W1f read of a file of 1 KiB, HTTP', unit: 'us CPU', goal, rows: http },
        { title: 'W1f read of a file of 1 KiB, stdio', unit: 'us CPU', goal, rows: stdio },
      ]
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}
