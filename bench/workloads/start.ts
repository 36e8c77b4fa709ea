import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cli } from '../../scripts/bundle.mjs'
import { askLine, tellLine } from '../measure/line-driver.ts'
import { machineCpu, median, ownCpu, peakMemory, cpuOf } from '../measure/machine.ts'
import { pidOf, programFile, startNode, stopNode } from '../measure/program.ts'
import { INITIALIZE, INITIALIZED, messageOf, resultOf } from '../measure/requests.ts'
import type { Row } from '../measure/table.ts'
import type { Order } from '../shelf.ts'
import { FILE_NAME, TEXT } from '../shelf.ts'
import type { Workload } from './workload.ts'
import { LIMIT, OURS, SDK1, SDK2 } from './workload.ts'

const ORDER: Order = { transport: 'stdio', era: 'legacy', stock: { resources: 1 } }
const LIST = messageOf({ method: 'resources/list', params: {} }, 'legacy')

interface Start {
  readonly ms: number
  readonly cpuMs: number
  readonly peakMiB: number
  readonly others: number
}

/** W6: from the start of the process to the first list, on stdio. */
export const start: Workload = {
  name: 'W6',
  about: 'start to the first list on stdio',
  run: async (plan) => {
    const folder = mkdtempSync(join(tmpdir(), 'shelfmark-bench-'))
    writeFileSync(join(folder, FILE_NAME), TEXT)
    const programs: readonly (readonly [string, readonly string[]])[] = [
      [LIMIT, await program('limit')],
      [`${OURS} serve <folder>`, [cli, 'serve', folder]],
      [SDK2, await program('sdk2')],
      [SDK1, await program('sdk1')],
    ]
    const starts = programs.map((): Start[] => [])
    try {
      for (let i = 0; i < plan.starts; i++) {
        for (const [index, [, args]] of programs.entries()) starts[index]?.push(await once(args))
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
    const rows = (value: (one: Start) => number): Row[] =>
      programs.map(([name], index) => {
        const runs = starts[index] ?? []
        const others = median(runs.map((run) => run.others))
        const peakMiB = median(runs.map((run) => run.peakMiB))
        return { name, value: median(runs.map(value)), peakMiB, others, contended: others > 0.4 }
      })
    return [
      { title: 'W6 start to first list, elapsed', unit: 'ms', goal: 'at most 1.6x, and 56 MiB', rows: rows((run) => run.ms) },
      { title: 'W6 start to first list, CPU', unit: 'ms CPU', goal: 'at most 1.6x', rows: rows((run) => run.cpuMs) },
    ]
  },
}

async function program(name: string): Promise<readonly string[]> {
  return [await programFile(name), JSON.stringify(ORDER)]
}

async function once(args: readonly string[]): Promise<Start> {
  const machine = machineCpu()
  const own = ownCpu()
  const began = performance.now()
  const server = startNode(args)
  try {
    await askLine(server, INITIALIZE)
    tellLine(server, INITIALIZED)
    const answer = await askLine(server, LIST)
    const ms = performance.now() - began
    const cpu = cpuOf(pidOf(server))
    const others = Math.max(0, machineCpu() - machine - (ownCpu() - own) - cpu) / ms / 1000
    const { resources } = resultOf(answer)
    if (!Array.isArray(resources) || resources.length !== 1) throw new Error(`A wrong answer: ${answer}`)
    return { ms, cpuMs: cpu / 1000, peakMiB: peakMemory(pidOf(server)), others }
  } finally {
    await stopNode(server)
  }
}
