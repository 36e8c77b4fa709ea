import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { at, guard, isMain, node, root, tally } from './run.mjs'
import { main, setup } from './setup.mjs'

/** @typedef {{ status: string, fullName: string, failureMessages?: readonly string[] }} Case */
/** @typedef {{ name: string, status: string, message: string, assertionResults: readonly Case[] }} File */

/** @param {string} [message] */
const firstLine = (message = '') => message.split('\n', 1)[0]

/** What ran, from vitest's report; a file that failed before any of its tests counts as one failure. @param {readonly File[]} files */
export function count(files) {
  let passed = 0
  const failed = []
  const skipped = []
  const unsteady = []
  for (const file of files) {
    const name = relative(root, file.name)
    if (file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')) {
      failed.push(`${name}: ${firstLine(file.message)}`)
    }
    for (const test of file.assertionResults) {
      if (test.status === 'passed') {
        passed++
        // What failed before it passed is still told.
        const [message] = test.failureMessages ?? []
        if (message !== undefined) unsteady.push(`${name}: ${test.fullName}: ${firstLine(message)}`)
      } else if (test.status === 'failed') failed.push(`${name}: ${test.fullName}: ${firstLine(test.failureMessages?.[0])}`)
      else skipped.push(`${name}: ${test.fullName}`)
    }
  }
  return { passed, failed, skipped, unsteady }
}

/**
 * Runs vitest. Returns how many tests passed, and by name what failed (with the first line of why), what was skipped, and what
 * passed at its second attempt: in CI each has one, for one stalled second of a shared machine says nothing of the code.
 * @param {readonly string[]} args
 * @param {{ capture?: boolean }} [options]
 */
export async function vitest(args, options) {
  const folder = mkdtempSync(join(tmpdir(), 'shelfmark-test-'))
  const done = guard(() => rmSync(folder, { recursive: true, force: true }))
  const report = join(folder, 'report.json')
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const retry = process.env['CI'] === 'true' ? ['--retry=1'] : []
    const { code, output } = await node([at('node_modules/vitest/vitest.mjs'), 'run', ...retry, ...reporters, ...args], options)
    /** @type {ReturnType<typeof count>} */
    let counts = { passed: 0, failed: [], skipped: [], unsteady: [] }
    try {
      counts = count(JSON.parse(readFileSync(report, 'utf8')).testResults)
    } catch {
      // Vitest ended before it could report: the exit code says so.
    }
    if (code !== 0 && counts.failed.length === 0) counts.failed.push(`vitest ended with ${code}`)
    return { ...counts, output }
  } finally {
    done()
  }
}

/** @param {string} what @param {readonly string[]} names */
function tell(what, names) {
  if (names.length > 0) process.stdout.write(`${what}:\n${names.map((name) => `  ${name}\n`).join('')}`)
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await setup()
    const { passed, failed, skipped, unsteady } = await vitest(process.argv.slice(2))
    tell('Skipped', skipped)
    tell('Passed at the second attempt', unsteady)
    tell('Failed', failed)
    tally('tests', passed, failed.length, `, ${skipped.length} skipped, ${unsteady.length} at the second attempt`)
    return failed.length > 0 ? 1 : 0
  })
}
