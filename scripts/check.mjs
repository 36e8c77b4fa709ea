import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm } from './install.mjs'
import { at, guard, node, root, tally } from './run.mjs'
import { compile, exclusively, main, setup } from './setup.mjs'
import { vitest } from './test.mjs'

/** @typedef {{ failed: boolean, counts: string, output: string }} Outcome */

/** @param {string} text @param {RegExp} pattern with the flag g */
const matches = (text, pattern) => [...text.matchAll(pattern)].length

/** @param {number} number @param {string} noun */
const some = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`

/** @returns {Promise<Outcome>} */
async function types() {
  const sources = await exclusively(() => compile({ capture: true }))
  const tests = await node([at('node_modules/typescript/bin/tsc'), '-p', at('tsconfig.test.json')], { capture: true })
  const output = sources.output + tests.output
  return { failed: sources.code + tests.code > 0, counts: some(matches(output, /error TS\d+/g), 'error'), output }
}

/** @returns {Promise<Outcome>} */
async function lint() {
  const { code, output } = await node([at('node_modules/oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'], {
    capture: true,
  })
  const counts = /Found .*?\./.exec(output)?.[0] ?? ''
  const files = /on (\d+) files?/.exec(output)?.[1] ?? '?'
  return { failed: code !== 0, counts: `${files} files, ${counts.replace(/^Found |\.$/g, '')}`, output }
}

/** @returns {Promise<Outcome>} */
async function format() {
  const { code, output } = await node([at('node_modules/oxfmt/bin/oxfmt'), '--list-different'], { capture: true })
  const files = output.split('\n').filter((line) => line.trim() !== '')
  return { failed: code !== 0, counts: `${some(files.length, 'file')} to format`, output: `${output}\nnpm run format does it.\n` }
}

/** The tarball as it would be published, judged by publint and by attw. @returns {Promise<Outcome>} */
async function packed() {
  const folder = mkdtempSync(join(tmpdir(), 'shelfmark-pack-'))
  const done = guard(() => rmSync(folder, { recursive: true, force: true }))
  try {
    const pack = await npm(['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder], {
      cwd: root,
      capture: true,
    })
    if (pack.code !== 0) return { failed: true, counts: 'npm pack failed', output: pack.output }
    const listing = JSON.parse(pack.output)
    const { filename, files } = (Array.isArray(listing) ? listing : Object.values(listing))[0]
    const tarball = join(folder, filename)
    const lints = await node([at('node_modules/publint/src/cli.js'), 'run', tarball, '--strict'], { capture: true })
    const attw = [
      at('node_modules/@arethetypeswrong/cli/dist/index.js'),
      tarball,
      '--profile',
      'esm-only',
      '--no-color',
      '--no-emoji',
    ]
    const resolution = await node(attw, { capture: true })
    const size = `${some(files.length, 'file')}, ${Math.round(statSync(tarball).size / 1024)} KiB`
    return { failed: lints.code + resolution.code > 0, counts: size, output: lints.output + resolution.output }
  } finally {
    done()
  }
}

/** @returns {Promise<Outcome>} */
async function architecture() {
  const { passed, failed, output } = await vitest(['test/architecture.test.ts'], { capture: true })
  return { failed: failed.length > 0, counts: `${passed} passed, ${failed.length} failed`, output }
}

await main(async () => {
  await setup({ tolerant: true })
  let failures = 0
  const steps = { types, lint, format, package: packed, architecture }
  for (const [name, step] of Object.entries(steps)) {
    const { failed, counts, output } = await step()
    if (failed) {
      failures++
      process.stdout.write(`${output.trimEnd()}\n`)
    }
    process.stdout.write(`${name}: ${failed ? 'failed' : 'ok'} (${counts})\n`)
  }
  tally('check', Object.keys(steps).length - failures, failures)
  return failures > 0 ? 1 : 0
})
