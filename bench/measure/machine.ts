import { readFileSync, readdirSync } from 'node:fs'

/** CPU time of a process, user and system, of all threads it has, in microseconds. */
export function cpuOf(pid: number): number {
  let nanoseconds = 0
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    // In nanoseconds, where /proc/<pid>/stat counts ticks of 10 ms.
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ', 1)[0])
  }
  return nanoseconds / 1000
}

/** The most memory that a process has had, in MiB. */
export function peakMemory(pid: number): number {
  const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(found?.[1] ?? 0) / 1024
}

/** CPU time of this process, in microseconds. */
export function ownCpu(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** CPU time of the whole machine, time stolen by its host included, in microseconds. */
export function machineCpu(): number {
  const [, ...fields] = /^cpu .*/.exec(readFileSync('/proc/stat', 'utf8'))?.[0].split(/\s+/) ?? []
  const ticks = fields.slice(0, 8).map(Number)
  // Neither idle nor waiting for a disk.
  return ticks.reduce((sum, one, index) => (index === 3 || index === 4 ? sum : sum + one), 0) * 10_000
}

/** A moment, to be compared with a later one. */
export interface Mark {
  readonly at: number
  readonly server: number
  readonly driver: number
  readonly machine: number
  readonly done: number
}

export function mark(pid: number, done: number): Mark {
  return { at: performance.now(), server: cpuOf(pid), driver: ownCpu(), machine: machineCpu(), done }
}

/** What happened between two moments. */
export interface Slice {
  /** CPU of the server for each answer, in microseconds. */
  readonly cpu: number
  readonly perSecond: number
  /** CPU of the driver for each answer, in microseconds. */
  readonly driver: number
  /** What neither of the two used of the machine, in cores. */
  readonly others: number
}

export function between(from: Mark, to: Mark): Slice {
  const done = to.done - from.done
  const micros = (to.at - from.at) * 1000
  const server = to.server - from.server
  const driver = to.driver - from.driver
  return {
    cpu: server / done,
    perSecond: (done / micros) * 1_000_000,
    driver: driver / done,
    others: Math.max(0, to.machine - from.machine - server - driver) / micros,
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}
