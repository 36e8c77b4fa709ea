import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Configuration, Plan } from '../measure/configuration.ts'
import { ask, postRequest } from '../measure/http-driver.ts'
import { cpuOf, machineCpu, median, ownCpu, peakMemory } from '../measure/machine.ts'
import { nextLine, pidOf, programFile, startNode, stopNode } from '../measure/program.ts'
import { headersOf, messageOf, resultOf } from '../measure/requests.ts'
import { isSelected, rounds } from '../measure/rounds.ts'
import type { Row, Table } from '../measure/table.ts'
import { FLAT, TREE } from '../shelf.ts'
import type { Order } from '../shelf.ts'
import type { Workload } from './workload.ts'
import { LIMIT, OURS } from './workload.ts'

const PAGE = 200
const QUESTION = { method: 'resources/list', params: {} }
/** A page of files takes a hundred times as long as other answers: what is not warm after a second never will be. */
const WARM_MS = 1_000
/** Starts of each program that is measured cold. */
const COLD_STARTS = 3

interface Shelf {
  readonly kind: 'flat' | 'tree'
  readonly files: number
  readonly name: (place: number) => string
  readonly about: string
}

const SHELVES: readonly [Shelf, Shelf] = [
  { kind: 'flat', ...FLAT, about: `a folder of ${FLAT.files.toLocaleString('en')}` },
  { kind: 'tree', ...TREE, about: `a tree of ${TREE.files.toLocaleString('en')} files` },
]

/** W2f: a page of files, wherever it is. */
export const listFiles: Workload = {
  name: 'W2f',
  about: `page of ${PAGE} of ${SHELVES.map((shelf) => shelf.about).join(' and of ')}`,
  run: async (plan) => {
    const root = mkdtempSync(join(tmpdir(), 'shelfmark-bench-'))
    const remove = (): void => rmSync(root, { recursive: true, force: true })
    process.on('exit', remove)
    try {
      for (const shelf of SHELVES) plant(shelf, join(root, shelf.kind))
      const tables: Table[] = []
      for (const shelf of SHELVES) tables.push(await warmTable(shelf, join(root, shelf.kind), plan))
      tables.push(await coldTable(SHELVES[0], join(root, SHELVES[0].kind), plan))
      return tables
    } finally {
      process.off('exit', remove)
      remove()
    }
  },
}

/** Makes the files, one after the other: two processes that do so side by side take eight times as long on ext4. */
function plant({ files, name }: Shelf, folder: string): void {
  let last = ''
  for (let i = 0; i < files; i++) {
    const path = join(folder, name(i))
    const parent = dirname(path)
    if (parent !== last) mkdirSync(parent, { recursive: true })
    last = parent
    closeSync(openSync(path, 'w'))
  }
}

async function warmTable(shelf: Shelf, folder: string, plan: Plan): Promise<Table> {
  const last = shelf.files / PAGE - 1
  const one = (name: string, program: string, pages: number): Configuration => ({
    name,
    program,
    order: orderOf(folder),
    question: QUESTION,
    pages,
    threads: true,
    check: isPage(shelf, pages * PAGE),
  })
  return {
    title: `W2f page of ${PAGE} of ${shelf.about}, HTTP`,
    unit: 'us CPU',
    goal: 'the same for each position, and twice the look at each of its files',
    rows: await rounds(
      [
        one(`${LIMIT}, lstat of ${PAGE}`, 'limit', 0),
        one(`${OURS}, first page`, 'ours', 0),
        one(`${OURS}, middle page`, 'ours', Math.floor(last / 2)),
        one(`${OURS}, last page`, 'ours', last),
      ],
      { ...plan, warmHttpMs: WARM_MS },
    ),
  }
}

/** The first answer of a server: the names are read and sorted. */
async function coldTable(shelf: Shelf, folder: string, plan: Plan): Promise<Table> {
  const rows: Row[] = []
  for (const [name, program] of [
    [`${LIMIT}, readdir, sort, lstat`, 'limit'],
    [`${OURS}, first answer`, 'ours'],
  ] as const) {
    if (!isSelected(name, plan)) continue
    const starts: Cold[] = []
    for (let i = 0; i < COLD_STARTS; i++) starts.push(await cold(await programFile(program), shelf, folder))
    const others = median(starts.map((start) => start.others))
    rows.push({
      name,
      value: median(starts.map((start) => start.cpuMs)),
      peakMiB: median(starts.map((start) => start.grownMiB)),
      others,
      contended: others > 0.4,
    })
  }
  return {
    title: `W2f first answer of a server: page of ${PAGE} of ${shelf.about}, HTTP; memory is what came on top`,
    unit: 'ms CPU',
    goal: 'twice what Node takes, in half the memory',
    rows,
  }
}

interface Cold {
  readonly cpuMs: number
  readonly grownMiB: number
  readonly others: number
}

async function cold(program: string, shelf: Shelf, folder: string): Promise<Cold> {
  const server = startNode([program, JSON.stringify(orderOf(folder))])
  try {
    const { port } = JSON.parse(await nextLine(server)) as { port: number }
    const pid = pidOf(server)
    const before = { at: performance.now(), cpu: cpuOf(pid), machine: machineCpu(), own: ownCpu(), peak: peakMemory(pid) }
    const request = postRequest(port, JSON.stringify(messageOf(QUESTION, 'modern')), headersOf(QUESTION, 'modern', undefined))
    const { body } = await ask(port, request)
    const micros = (performance.now() - before.at) * 1_000
    const cpu = cpuOf(pid) - before.cpu
    const others = Math.max(0, machineCpu() - before.machine - (ownCpu() - before.own) - cpu) / micros
    if (!isPage(shelf, 0)(resultOf(body))) throw new Error(`A wrong answer: ${body.slice(0, 500)}`)
    return { cpuMs: cpu / 1_000, grownMiB: peakMemory(pid) - before.peak, others }
  } finally {
    await stopNode(server)
  }
}

function orderOf(folder: string): Order {
  return { transport: 'http', era: 'modern', stock: { folder, page: PAGE } }
}

/** Whether a result is the page whose first file has this place. */
function isPage(shelf: Shelf, place: number): (result: Record<string, unknown>) => boolean {
  const first = `file:///bench-shelf/${shelf.name(place)}`
  return ({ resources }) =>
    Array.isArray(resources) && resources.length === PAGE && (resources[0] as { uri?: unknown } | undefined)?.uri === first
}
