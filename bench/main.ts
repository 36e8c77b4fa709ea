import { parseArgs } from 'node:util'
import type { Plan } from './measure/configuration.ts'
import type { Table } from './measure/table.ts'
import { profileInto } from './measure/program.ts'
import { formatTable } from './measure/table.ts'
import { heap } from './workloads/heap.ts'
import { listFiles } from './workloads/list-files.ts'
import { list } from './workloads/list.ts'
import { readFile } from './workloads/read-file.ts'
import { read } from './workloads/read.ts'
import { start } from './workloads/start.ts'
import { template } from './workloads/template.ts'
import type { Workload } from './workloads/workload.ts'

const WORKLOADS: readonly Workload[] = [read, readFile, list, listFiles, template, start, heap]

const USUAL: Plan = { rounds: 1, warmHttpMs: 3_000, warmStdioMs: 1_000, slices: 3, sliceMs: 400, starts: 7 }
const LONG: Plan = { rounds: 3, warmHttpMs: 5_000, warmStdioMs: 2_000, slices: 3, sliceMs: 1_000, starts: 21 }

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: {
    json: { type: 'boolean' },
    long: { type: 'boolean' },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
  allowPositionals: true,
})
const unknown = positionals.filter((name) => !WORKLOADS.some((workload) => workload.name === name))
if (unknown.length > 0) {
  const known = WORKLOADS.map((workload) => `  ${workload.name.padEnd(4)}${workload.about}\n`).join('')
  process.stderr.write(`There is no workload ${unknown.join(', ')}. There are:\n${known}`)
  process.exit(2)
}

if (values.profile !== undefined) profileInto(values.profile)
const plan: Plan = {
  ...(values.long === true ? LONG : USUAL),
  ...(values.only !== undefined && { only: values.only.split(',') }),
}

// So that what is cleared away at the end is cleared away.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const tables: Table[] = []
for (const workload of WORKLOADS) {
  if (positionals.length > 0 && !positionals.includes(workload.name)) continue
  for (const table of await workload.run(plan)) {
    if (table.rows.length === 0) continue
    tables.push(table)
    if (values.json !== true) process.stdout.write(`${formatTable(table)}\n`)
  }
}
if (values.json === true) process.stdout.write(`${JSON.stringify({ node: process.version, tables }, undefined, 2)}\n`)
process.exit()
