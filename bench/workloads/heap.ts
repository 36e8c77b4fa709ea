import { nextLine, programFile, startNode, stopNode } from '../measure/program.ts'
import type { Row } from '../measure/table.ts'
import type { Workload } from './workload.ts'
import { OURS, SDK1, SDK2 } from './workload.ts'

const RESOURCES = 100_000

/** W7: what a registered resource weighs. */
export const heap: Workload = {
  name: 'W7',
  about: 'heap of a registered resource',
  run: async () => {
    const rows: Row[] = []
    for (const [name, who] of [
      ['Map of plain objects', 'map'],
      [OURS, 'ours'],
      [SDK2, 'sdk2'],
      [SDK1, 'sdk1'],
    ] as const) {
      const program = startNode(['--expose-gc', await programFile('heap'), who, String(RESOURCES)])
      try {
        const { each } = JSON.parse(await nextLine(program)) as { each: number }
        rows.push({ name, value: each })
      } finally {
        await stopNode(program)
      }
    }
    return [
      { title: `W7 heap of each of ${RESOURCES.toLocaleString('en')} resources`, unit: 'bytes', goal: 'at most 300 bytes', rows },
    ]
  },
}
