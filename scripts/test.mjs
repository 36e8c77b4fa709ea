import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { at, guard, isMain, node, root, tally } from './run.mjs'
import { main, setup } from './setup.mjs'

/** @typedef {{ status: string, fullName: string }} Case */
/** @typedef {{ name: string, status: string, message: string, assertionResults: readonly Case[] }} File */

/** What ran, from vitest's report; a file that failed before any of its tests counts as one failure. @param {readonly File[]} files */
function count(files) {
  let passed = 0
  let failed = 0
  const skipped = []
  for (const file of files) {
    if (file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed')) failed++
    for (const test of file.assertionResults) {
      if (test.status === 'passed') passed++
      else if (test.status === 'failed') failed++
      else skipped.push(`${relative(root, file.name)}: ${test.fullName}`)
    }
  }
  return { passed, failed, skipped }
}

/**
 * Runs vitest and tells what it skipped, by name. Returns the counts.
 * @param {readonly string[]} args
 * @param {{ capture?: boolean }} [options]
 */
export async function vitest(args, options) {
  const folder = mkdtempSync(join(tmpdir(), 'shelfmark-test-'))
  const done = guard(() => rmSync(folder, { recursive: true, force: true }))
  const report = join(folder, 'report.json')
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const { code, output } = await node([at('node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...args], options)
    let counts = { passed: 0, failed: 0, skipped: /** @type {string[]} */ ([]) }
    try {
      counts = count(JSON.parse(readFileSync(report, 'utf8')).testResults)
    } catch {
      // Vitest ended before it could report: the exit code says so.
    }
    if (code !== 0 && counts.failed === 0) counts.failed = 1
    return { ...counts, output }
  } finally {
    done()
  }
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await setup()
    const { passed, failed, skipped } = await vitest(process.argv.slice(2))
    if (skipped.length > 0) process.stdout.write(`Skipped:\n${skipped.map((name) => `  ${name}\n`).join('')}`)
    tally('tests', passed, failed, `, ${skipped.length} skipped`)
    return failed > 0 ? 1 : 0
  })
}
