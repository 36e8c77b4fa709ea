import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { newerNode, peer } from './peers.mjs'
import { cleanEnv, run } from './run.mjs'

const suite = peer('@modelcontextprotocol/conformance/dist/index.js')

/** What the client writes last when it saw what it had to. The suite looks only at what reached its server. */
const CLIENT_DONE = 'done\n'

/** How each scenario ended: also those that the suite runs beside the requirements of a revision, and does not score. */
const SUMMARY = /^([✓✗]) (\S+): \d+ passed, \d+ failed/gm

/**
 * One run of the suite: its arguments, and the scenarios or checks (`scenario:check`) that are known to fail.
 * @typedef {{ side: 'server' | 'client', name: string, args: readonly string[], expected: ReadonlySet<string>, folder: string }} Leg
 * @typedef {{ ran: readonly string[], failed: ReadonlySet<string>, known: ReadonlySet<string>, passed: number, report: string }} Verdict
 */

/** @param {string} folder @param {readonly string[]} args */
async function callSuite(folder, args) {
  const { code, output } = await run(newerNode, [suite, ...args], {
    cwd: folder,
    capture: true,
    env: { ...cleanEnv(), NO_COLOR: '1' },
  })
  return { code, output: stripVTControlCharacters(output) }
}

/**
 * The client scenarios by version; those of extensions belong to none.
 * @param {string} folder
 * @returns {Promise<(version: string) => string[]>}
 */
export async function clientScenarios(folder) {
  const { output } = await callSuite(folder, ['list', '--client'])
  const rows = [...output.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)]
  return (version) =>
    rows.filter((row) => row[2]?.split(',').includes(version === 'extensions' ? 'extension' : version)).map((row) => row[1] ?? '')
}

/** The names that the suite lists under one heading of its verdict. @param {string} output @param {string} heading */
function listed(output, heading) {
  const from = output.indexOf(heading)
  if (from < 0) return []
  const lines = output.slice(from).split('\n').slice(1)
  const end = lines.findIndex((line) => !line.startsWith('  '))
  return lines.slice(0, end < 0 ? undefined : end).map((line) => line.trim().slice(2))
}

/** @param {readonly string[]} names `scenario` or `scenario:check` */
export const scenariosOf = (names) => new Set(names.map((name) => name.split(':')[0] ?? name))

/**
 * Runs the official suite once. A scenario fails when a check of it does and is not listed, or is listed and passes; one
 * of the client also when the client did not see what it had to.
 * @param {Leg} leg
 * @returns {Promise<Verdict>}
 */
export async function runLeg({ side, name, args, expected, folder }) {
  const list = join(folder, `${side}-${name.replaceAll('/', '-')}.yml`)
  const results = join(folder, side, name)
  writeFileSync(list, `${side}:${expected.size === 0 ? ' []' : ''}\n${[...expected].map((one) => `  - ${one}\n`).join('')}`)
  const { code, output } = await callSuite(folder, [side, ...args, '--expected-failures', list, '-o', results])
  const ran = [...output.matchAll(/^(?:=== Running scenario: (\S+) ===|Starting scenario: (\S+))$/gm)].map(
    (row) => row[1] ?? row[2] ?? '',
  )
  const failed = scenariosOf([...listed(output, 'Unexpected failures ('), ...listed(output, 'Stale baseline entries (')])
  const known = scenariosOf(listed(output, 'Expected failures (').filter((one) => !failed.has(one.split(':')[0] ?? one)))
  for (const [, verdict, scenario = ''] of output.matchAll(SUMMARY)) {
    if (failed.has(scenario)) continue
    const fails = verdict === '✗'
    if (fails !== scenariosOf([...expected]).has(scenario)) failed.add(scenario)
    else if (fails) known.add(scenario)
  }
  if (code !== 0 && failed.size === 0) failed.add('the suite itself')
  if (side === 'client')
    for (const one of ran)
      if (!known.has(one) && !saw(recordOf(results, side, one), 'stdout.txt').endsWith(CLIENT_DONE)) failed.add(one)
  const lines = [...failed].map((one) => `  ${one}\n${findings(recordOf(results, side, one)) || nothingFound(expected, one)}`)
  const report = ran.length === 0 ? output : lines.join('')
  return { ran, failed, known, passed: ran.filter((one) => !failed.has(one) && !known.has(one)).length, report }
}

/** @param {ReadonlySet<string>} expected @param {string} scenario */
const nothingFound = (expected, scenario) =>
  scenariosOf([...expected]).has(scenario) ? '    listed as expected to fail, but passes\n' : ''

/** Where the suite keeps what it found in a scenario. @param {string} results @param {string} side @param {string} scenario */
function recordOf(results, side, scenario) {
  const path = join(results, side === 'server' ? `server-${scenario.replaceAll('/', '-')}` : scenario)
  if (!existsSync(dirname(path))) return undefined
  const name = readdirSync(dirname(path)).find((one) => one.startsWith(`${basename(path)}-2`) && one.endsWith('Z'))
  return name === undefined ? undefined : join(dirname(path), name)
}

/** @param {string | undefined} record @param {string} file */
function saw(record, file) {
  return record !== undefined && existsSync(join(record, file)) ? readFileSync(join(record, file), 'utf8') : ''
}

/** What is wrong in a scenario, one line a check, and what the client said of it. @param {string | undefined} record */
function findings(record) {
  /** @type {readonly { id: string, status: string, errorMessage?: string, description: string }[]} */
  const checks = JSON.parse(saw(record, 'checks.json') || '[]')
  const lines = checks
    .filter((check) => check.status === 'FAILURE' || check.status === 'WARNING')
    .map((check) => `${check.id}: ${(check.errorMessage ?? check.description).split('\n')[0]}`)
  const said = saw(record, 'stderr.txt').trim().split('\n').slice(0, 5)
  return [...lines, ...said.filter((line) => line !== '')].map((line) => `    ${line.slice(0, 300)}\n`).join('')
}
