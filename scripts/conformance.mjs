import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleProgram } from './bundle.mjs'
import { clientVersions, parseBaseline, requirements, versions } from './conformance-baseline.mjs'
import { clientScenarios, runLeg, scenariosOf } from './conformance-suite.mjs'
import { installPeers } from './peers.mjs'
import { at, guard, start, stop, tally } from './run.mjs'
import { main, setup } from './setup.mjs'

/** @typedef {import('./conformance-suite.mjs').Verdict} Verdict */

const sum = { passed: 0, failed: 0, known: 0 }

/** @param {string} name */
const fixture = (name) => at('test/conformance', name)

/** Starts the fixture server on this Node and resolves with its URL. @param {string} program */
async function serveFixture(program) {
  const server = start(process.execPath, [program, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise((resolve, reject) => {
    let text = ''
    server.stdout?.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      const told = /listening (http:\/\/127\.0\.0\.1:\d+\/mcp)/.exec(text)?.[1]
      if (told) resolve(told)
    })
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`The fixture server ended before it listened (exit code ${code})`)))
  })
  return { server, url }
}

/**
 * Tries one side for each version, and counts; of what is listed as expected to fail each scenario has to be run.
 * @param {{ side: 'server' | 'official' | 'client', file: string, tried: readonly string[] }} what
 * @param {(version: string, expected: ReadonlySet<string>) => Promise<readonly Verdict[]>} attempt
 */
async function tryEach({ side, file, tried }, attempt) {
  const lists = parseBaseline(readFileSync(fixture(file), 'utf8'), { file, tried })
  const everRan = new Map([...lists.keys()].map((name) => [name, new Set()]))
  for (const version of tried) {
    const counts = { passed: 0, failed: 0, known: 0 }
    let report = ''
    for (const verdict of await attempt(version, new Set([...(lists.get('all') ?? []), ...(lists.get(version) ?? [])]))) {
      counts.passed += verdict.passed
      counts.failed += verdict.failed.size
      counts.known += verdict.known.size
      report += verdict.report
      for (const name of verdict.ran) for (const list of ['all', version]) everRan.get(list)?.add(name)
    }
    const { passed, failed, known } = counts
    process.stdout.write(`${side} ${version}: ${passed} passed, ${failed} failed, ${known} expected to fail\n${report}`)
    sum.passed += passed
    sum.failed += failed
    sum.known += known
  }
  for (const [list, names] of lists) {
    for (const name of [...scenariosOf([...names])].filter((one) => !everRan.get(list)?.has(one))) {
      sum.failed++
      process.stdout.write(`${name}: listed under ${list} in ${file}, but no such scenario was run\n`)
    }
  }
}

/**
 * Our own server: everything that the suite has.
 * @param {string} folder
 */
async function tryServer(folder) {
  const { server, url } = await serveFixture(await bundleProgram(fixture('server.ts')))
  try {
    await tryEach({ side: 'server', file: 'expected-failures.yml', tried: versions }, async (version, expected) => {
      const args = ['--url', url, '--suite', 'all', '--spec-version', version]
      return [await runLeg({ side: 'server', name: version, args, expected, folder })]
    })
  } finally {
    await stop(server)
  }
}

/**
 * An official server that the Library was put into: all that a revision requires.
 * @param {string} folder
 */
async function tryOfficial(folder) {
  const { server, url } = await serveFixture(await bundleProgram(fixture('official.ts')))
  try {
    const what = { side: /** @type {const} */ ('official'), file: 'expected-official-failures.yml', tried: requirements }
    await tryEach(what, async (version, expected) => {
      const args = ['--url', url, '--requirements', version]
      return [await runLeg({ side: 'server', name: `official-${version}`, args, expected, folder })]
    })
  } finally {
    await stop(server)
  }
}

/**
 * The scenarios one by one: the suite would start a client for each at once, which are then too slow for their own limits.
 * @param {string} folder
 */
async function tryClient(folder) {
  // The suite gives this to a shell, piece by piece.
  const command = ['--command', `"${process.execPath}" "${await bundleProgram(fixture('client.ts'))}"`]
  const scenariosIn = await clientScenarios(folder)
  await tryEach({ side: 'client', file: 'expected-client-failures.yml', tried: clientVersions }, async (version, expected) => {
    const scenarios = scenariosIn(version)
    /** @type {Verdict[]} */
    const verdicts = []
    const work = async () => {
      for (let scenario = scenarios.shift(); scenario !== undefined; scenario = scenarios.shift()) {
        const own = new Set([...expected].filter((name) => name.split(':')[0] === scenario))
        const args = [...command, '--scenario', scenario, ...(version === 'extensions' ? [] : ['--spec-version', version])]
        verdicts.push(await runLeg({ side: 'client', name: `${version}-${scenario}`, args, expected: own, folder }))
      }
    }
    await Promise.all(Array.from({ length: availableParallelism() }, work))
    return verdicts
  })
}

await main(async () => {
  await setup()
  await installPeers()
  const folder = mkdtempSync(join(tmpdir(), 'shelfmark-conformance-'))
  const done = guard(() => rmSync(folder, { recursive: true, force: true }))
  for (const side of ['server', 'client']) mkdirSync(join(folder, side))
  try {
    await tryServer(folder)
    await tryOfficial(folder)
    await tryClient(folder)
  } finally {
    done()
  }
  tally('conformance', sum.passed, sum.failed, `, ${sum.known} expected to fail`)
  return sum.failed > 0 ? 1 : 0
})
