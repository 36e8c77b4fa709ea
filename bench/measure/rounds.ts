import type { Configuration, Plan, Sample } from './configuration.ts'
import { isQuiet, medianOf, sample } from './configuration.ts'
import type { Row } from './table.ts'

/** Runs configurations one after the other, and all of them again in each round, so that a slow minute hits all alike. */
export async function rounds(all: readonly Configuration[], plan: Plan): Promise<readonly Row[]> {
  const configurations = all.filter((one) => isSelected(one.name, plan))
  const samples = new Map<Configuration, Sample[]>(configurations.map((one) => [one, []]))
  for (let round = 0; round < plan.rounds; round++) {
    for (const configuration of configurations) samples.get(configuration)?.push(await sample(configuration, plan))
  }
  return configurations.map((configuration) => rowOf(configuration.name, samples.get(configuration) ?? []))
}

/** Whether a row of this name is to be measured. */
export function isSelected(name: string, { only = [''] }: Plan): boolean {
  return only.some((part) => name.includes(part))
}

function rowOf(name: string, samples: readonly Sample[]): Row {
  const quiet = samples.filter(isQuiet)
  const used = quiet.length > 0 ? quiet : samples
  const { cpu, perSecond, driver, others } = medianOf(used)
  return {
    name,
    value: cpu,
    perSecond,
    peakMiB: Math.max(...used.map((one) => one.peakMiB)),
    driver,
    others,
    contended: quiet.length === 0,
  }
}
