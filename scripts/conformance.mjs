import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { bundleProgram } from './bundle.mjs'
import { parseBaseline, versions } from './conformance-baseline.mjs'
import { installPeers, newerNode, peer } from './peers.mjs'
import { at, cleanEnv, guard, run, start, stop, tally } from './run.mjs'
import { main, setup } from './setup.mjs'

const fixture = at('test/conformance/server.ts')
const baseline = at('test/conformance/expected-failures.yml')
const suite = peer('@modelcontextprotocol/conformance/dist/index.js')

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

/** The names that the suite lists under one heading of its verdict. @param {string} output @param {string} heading */
function listed(output, heading) {
  const from = output.indexOf(heading)
  if (from < 0) return []
  const lines = output.slice(from).split('\n').slice(1)
  const end = lines.findIndex((line) => !line.startsWith('  '))
  return lines.slice(0, end < 0 ? undefined : end).map((line) => line.trim().slice(2))
}

/** @param {readonly string[]} names `scenario` or `scenario:check` */
const scenariosOf = (names) => new Set(names.map((name) => name.split(':')[0] ?? name))

/**
 * Runs the official suite for one version. A scenario fails when a check of it does and is not listed, or is listed and passes.
 * @param {{ url: string, version: string, expected: ReadonlySet<string>, folder: string }} leg
 */
async function runVersion({ url, version, expected, folder }) {
  const list = join(folder, `${version}.yml`)
  writeFileSync(list, `server:${expected.size === 0 ? ' []' : ''}\n${[...expected].map((name) => `  - ${name}\n`).join('')}`)
  const args = [
    suite,
    'server',
    '--url',
    url,
    '--spec-version',
    version,
    '--suite',
    'all',
    '--expected-failures',
    list,
    '-o',
    join(folder, version),
  ]
  const { code, output } = await run(newerNode, args, { cwd: folder, capture: true, env: { ...cleanEnv(), NO_COLOR: '1' } })
  const plain = stripVTControlCharacters(output)
  const ran = [...plain.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map((row) => row[1] ?? '')
  const failed = scenariosOf([...listed(plain, 'Unexpected failures ('), ...listed(plain, 'Stale baseline entries (')])
  const known = scenariosOf(listed(plain, 'Expected failures (').filter((name) => !failed.has(name.split(':')[0] ?? name)))
  if (code !== 0 && failed.size === 0) failed.add('the suite itself')
  return { output: plain, ran, failed, known, passed: ran.filter((name) => !failed.has(name) && !known.has(name)).length }
}

/** What the suite found wrong in a scenario, one line a check, from its own records. @param {string} folder @param {string} scenario */
function findings(folder, scenario) {
  const prefix = `server-${scenario.replaceAll('/', '-')}-2`
  const record = readdirSync(folder).find((name) => name.startsWith(prefix))
  if (!record) return ''
  /** @type {readonly { id: string, status: string, errorMessage?: string, description: string }[]} */
  const checks = JSON.parse(readFileSync(join(folder, record, 'checks.json'), 'utf8'))
  return checks
    .filter((check) => check.status === 'FAILURE' || check.status === 'WARNING')
    .map((check) => `    ${check.id}: ${(check.errorMessage ?? check.description).split('\n')[0]?.slice(0, 300)}\n`)
    .join('')
}

/** @param {string} version @param {Awaited<ReturnType<typeof runVersion>>} result @param {string} folder */
function report(version, { output, ran, failed, known, passed }, folder) {
  process.stdout.write(`${version}: ${passed} passed, ${failed.size} failed, ${known.size} expected to fail\n`)
  for (const name of failed)
    process.stdout.write(`  ${name}\n${findings(folder, name) || '    listed as expected to fail, but passes\n'}`)
  if (ran.length === 0) process.stdout.write(output)
}

await main(async () => {
  await setup()
  if (!existsSync(fixture)) {
    process.stdout.write('There is no test/conformance/server.ts: nothing to try.\n')
    tally('conformance', 0, 0)
    return 0
  }
  await installPeers()
  const lists = parseBaseline(existsSync(baseline) ? readFileSync(baseline, 'utf8') : '')
  const folder = mkdtempSync(join(tmpdir(), 'shelfmark-conformance-'))
  const done = guard(() => rmSync(folder, { recursive: true, force: true }))
  const { server, url } = await serveFixture(await bundleProgram(fixture))
  const sum = { passed: 0, failed: 0, known: 0 }
  const everRan = new Map([...lists.keys()].map((name) => [name, new Set()]))
  try {
    for (const version of versions) {
      const expected = new Set([...(lists.get('all') ?? []), ...(lists.get(version) ?? [])])
      const result = await runVersion({ url, version, expected, folder })
      for (const name of result.ran) for (const list of ['all', version]) everRan.get(list)?.add(name)
      sum.passed += result.passed
      sum.failed += result.failed.size
      sum.known += result.known.size
      report(version, result, join(folder, version))
    }
    for (const [list, names] of lists) {
      for (const name of [...scenariosOf([...names])].filter((one) => !everRan.get(list)?.has(one))) {
        sum.failed++
        process.stdout.write(`${name}: listed under ${list}, but no such scenario was run\n`)
      }
    }
  } finally {
    await stop(server)
    done()
  }
  tally('conformance', sum.passed, sum.failed, `, ${sum.known} expected to fail`)
  return sum.failed > 0 ? 1 : 0
})
