import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { cleanEnv, node, root, run } from './run.mjs'

/** @param {string} folder what an installation depends on */
function fingerprint(folder) {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .update(`\0${process.versions.modules}\0${process.platform}\0${process.arch}`)
    .digest('hex')
}

/** The npm that runs us, else the one beside this Node, so that both agree on the Node they install for. */
function npmCli() {
  const running = process.env['npm_execpath']
  if (running && basename(running) === 'npm-cli.js') return running
  const bin = dirname(process.execPath)
  return [join(bin, '../lib/node_modules/npm/bin/npm-cli.js'), join(bin, 'node_modules/npm/bin/npm-cli.js')].find((path) =>
    existsSync(path),
  )
}

/**
 * Runs npm, as itself and not as a part of the npm script that runs now.
 * @param {readonly string[]} args
 * @param {Parameters<typeof node>[1]} [options]
 */
export function npm(args, options) {
  const cli = npmCli()
  const all = { env: cleanEnv(), ...options }
  return cli ? node([cli, ...args], all) : run('npm', args, all)
}

/**
 * Installs what a folder's lock file says, when the lock, the Node ABI or the platform is not what was installed last.
 * The caller holds the set-up lock.
 * @param {string} [folder]
 */
export async function install(folder = root) {
  const stamp = join(folder, 'node_modules', '.setup')
  const wanted = fingerprint(folder)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  process.stderr.write(`Installing what ${folder === root ? '' : `${basename(folder)}/`}package-lock.json says ...\n`)
  const { code } = await npm(['ci', '--include=dev', '--loglevel=error', '--no-progress'], { cwd: folder, toStderr: true })
  if (code !== 0) throw new Error(`npm ci failed in ${folder} (exit code ${code})`)
  writeFileSync(stamp, wanted)
}
