import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleProgram } from './bundle.mjs'
import { installPeers, newerNode, peer } from './peers.mjs'
import { at, guard, run, start, stop, tally } from './run.mjs'
import { main, setup } from './setup.mjs'

const versions = ['2026-07-28', '2025-11-25', '2025-06-18']
const fixture = at('test/conformance/server.ts')
const baseline = at('test/conformance/expected-failures.yml')
const suite = peer('@modelcontextprotocol/conformance/dist/index.js')

/**
 * Reads the list of expected failures: `- scenario # reason` under `all:` or under one version. Each needs its reason.
 * @param {string} text
 * @returns {Map<string, Set<string>>} version or `all` -> scenarios
 */
export function parseBaseline(text) {
  /** @type {Map<string, Set<string>>} */
  const lists = new Map(['all', ...versions].map((name) => [name, new Set()]))
  let list = lists.get('all')
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(#.*)?$/.test(line)) continue
    const section = /^['"]?([\w-]+)['"]?:\s*(#.*)?$/.exec(line)?.[1]
    const entry = /^\s*- ([\w/:.-]+)\s+# \S/.exec(line)?.[1]
    if (section && lists.has(section)) list = lists.get(section)
    else if (entry) list?.add(entry)
    else throw new Error(`expected-failures.yml, line ${index + 1}: want "all:", a version tried here, or "- scenario # reason", found: ${line}`)
  }
  return lists
}

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
 * Runs the official suite for one version. A scenario fails when the suite marks it, and when it passes though listed.
 * @param {string} url
 * @param {string} version
 * @param {ReadonlySet<string>} expected
 * @param {string} folder
 */
async function runVersion(url, version, expected, folder) {
  const list = join(folder, `${version}.yml`)
  writeFileSync(list, `server:${expected.size === 0 ? ' []' : ''}\n${[...expected].map((name) => `  - ${name}\n`).join('')}`)
  const args = [suite, 'server', '--url', url, '--spec-version', version, '--suite', 'all', '--expected-failures', list]
  const { code, output } = await run(newerNode, args, { cwd: folder, capture: true })
  const summary = output.slice(output.lastIndexOf('=== SUMMARY ==='))
  const scenarios = [...summary.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gmu)].map((row) => ({ name: row[1] ?? '', bad: row[3] !== '0' }))
  return { code, output, summary, scenarios }
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
  let passed = 0
  let failed = 0
  let known = 0
  try {
    for (const version of versions) {
      const expected = new Set([...(lists.get('all') ?? []), ...(lists.get(version) ?? [])])
      const result = await runVersion(url, version, expected, folder)
      process.stdout.write(`${version}\n${result.summary}\n`)
    }
  } finally {
    await stop(server)
    done()
  }
  tally('conformance', passed, failed, `, ${known} expected to fail`)
  return failed > 0 ? 1 : 0
})
