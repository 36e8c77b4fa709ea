import { setTimeout as pause } from 'node:timers/promises'
import type { Order } from '../shelf.ts'
import { ask, driveHttp, postRequest } from './http-driver.ts'
import { askLine, driveLines, tellLine } from './line-driver.ts'
import type { Load } from './load.ts'
import { stayAwake } from './load.ts'
import type { Slice } from './machine.ts'
import { between, mark, median, peakMemory } from './machine.ts'
import type { Program } from './program.ts'
import { nextLine, pidOf, programFile, startNode, stopNode } from './program.ts'
import type { Question } from './requests.ts'
import { headersOf, INITIALIZE, INITIALIZED, LEGACY_VERSION, messageOf, resultOf } from './requests.ts'

/** One server under one load: a row of a table. */
export interface Configuration {
  readonly name: string
  /** A file of `bench/servers`, without `.ts`. */
  readonly program: string
  readonly order: Order
  readonly question: Question
  /** On HTTP: so many pages are walked first, and the question is asked for the next one. Default 0. */
  readonly pages?: number
  /** The server has threads of its own that need the core on which the driver would stay awake. Default false. */
  readonly threads?: boolean
  /** Whether a result is the one that was wanted. */
  readonly check: (result: Record<string, unknown>) => boolean
}

/** How long to measure. */
export interface Plan {
  /** Fresh processes for each configuration, one round after the other. */
  readonly rounds: number
  readonly warmHttpMs: number
  readonly warmStdioMs: number
  readonly slices: number
  readonly sliceMs: number
  /** Measures only rows whose name holds one of these. */
  readonly only?: readonly string[]
  /** Starts of each program of W6. */
  readonly starts: number
}

export interface Sample extends Slice {
  readonly peakMiB: number
}

/** Connections on HTTP, and requests in flight on stdio. */
export const CONNECTIONS = 32
export const WINDOW = 64

const WARM_ANSWERS = 8_000

/** Above this, in cores, what else ran may have changed a figure. */
const CONTENDED = 0.4

/** So many times the slices are measured before contended ones are taken. */
const PATIENCE = 3

export function isQuiet(slice: Slice): boolean {
  return slice.others <= CONTENDED
}

/** Runs a configuration once, in a server of its own. */
export async function sample(configuration: Configuration, plan: Plan): Promise<Sample> {
  const server = startNode([await programFile(configuration.program), JSON.stringify(configuration.order)])
  let load: Load | undefined
  const sleep = configuration.threads === true ? undefined : stayAwake()
  try {
    const http = configuration.order.transport === 'http'
    load = http ? await loadHttp(server, configuration) : await loadLines(server, configuration)
    await warmUp(load, http ? plan.warmHttpMs : plan.warmStdioMs)
    const pid = pidOf(server)
    const slices: Slice[] = []
    for (let i = 0; i < plan.slices * PATIENCE && slices.filter(isQuiet).length < plan.slices; i++) {
      const from = mark(pid, load.done)
      await pause(plan.sliceMs)
      slices.push(between(from, mark(pid, load.done)))
    }
    if (load.failure !== undefined) throw load.failure
    const quiet = slices.filter(isQuiet)
    return { ...medianOf(quiet.length > 0 ? quiet : slices), peakMiB: peakMemory(pid) }
  } catch (error) {
    throw new Error(`${configuration.name} failed`, { cause: error })
  } finally {
    sleep?.()
    load?.stop()
    await stopNode(server)
  }
}

/** Slow servers get more time, since it is requests that make code fast: measured cold they look twice as slow. */
async function warmUp(load: Load, ms: number): Promise<void> {
  await pause(ms)
  for (let i = 0; i < 5 && load.done < WARM_ANSWERS && load.failure === undefined; i++) await pause(ms / 5)
}

export function medianOf(slices: readonly Slice[]): Slice {
  return {
    cpu: median(slices.map((slice) => slice.cpu)),
    perSecond: median(slices.map((slice) => slice.perSecond)),
    driver: median(slices.map((slice) => slice.driver)),
    others: median(slices.map((slice) => slice.others)),
  }
}

async function loadHttp(server: Program, configuration: Configuration): Promise<Load> {
  const { order, check, pages = 0 } = configuration
  const { port } = JSON.parse(await nextLine(server)) as { port: number }
  const session = order.era === 'legacy' ? await openSession(port) : undefined
  const requestOf = (question: Question) =>
    postRequest(port, JSON.stringify(messageOf(question, order.era)), headersOf(question, order.era, session))
  let { question } = configuration
  for (let i = 0; i < pages; i++) {
    const { nextCursor } = resultOf((await ask(port, requestOf(question))).body)
    question = { ...question, params: { ...question.params, cursor: nextCursor } }
  }
  const request = requestOf(question)
  const first = await ask(port, request)
  if (first.status !== 200 || !check(resultOf(first.body))) throw new Error(`A wrong answer: ${first.status} ${first.body}`)
  return driveHttp(port, request, first.size, CONNECTIONS)
}

async function openSession(port: number): Promise<string | undefined> {
  const opened = await ask(port, postRequest(port, JSON.stringify(INITIALIZE), {}))
  if (opened.status !== 200) throw new Error(`initialize was answered with ${opened.status}: ${opened.body}`)
  const session = opened.headers.get('mcp-session-id')
  const headers = { 'MCP-Protocol-Version': LEGACY_VERSION, ...(session !== undefined && { 'Mcp-Session-Id': session }) }
  await ask(port, postRequest(port, JSON.stringify(INITIALIZED), headers))
  return session
}

async function loadLines(server: Program, { order, question, check }: Configuration): Promise<Load> {
  if (order.era === 'legacy') {
    await askLine(server, INITIALIZE)
    tellLine(server, INITIALIZED)
  }
  const message = messageOf(question, order.era)
  const first = await askLine(server, message)
  if (!check(resultOf(first))) throw new Error(`A wrong answer: ${first}`)
  return driveLines(server, Buffer.from(`${JSON.stringify(message)}\n`), Buffer.byteLength(first) + 1, WINDOW)
}
