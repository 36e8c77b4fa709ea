import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** @param {...string} path a file of an installed package, or any other file of the repository */
export const at = (...path) => join(root, ...path)

/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set()
/** @type {Set<() => void>} */
const cleanups = new Set()
const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])
const ownGroup = process.platform !== 'win32'
/** Milliseconds until what was asked to end is made to; npm would install for seconds more, and its next `ci` begins anew anyway. */
const grace = 1_000
/** @type {NodeJS.Signals | undefined} */
let caught

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
function end(child, signal) {
  try {
    // The whole group: npm and tsc start processes of their own, which do not pass a signal on.
    if (ownGroup && child.pid) process.kill(-child.pid, signal)
    else child.kill(signal)
  } catch {
    // Already gone.
  }
}

/** @param {NodeJS.Signals} signal */
function onSignal(signal) {
  const again = caught !== undefined
  caught ??= signal
  for (const child of children) end(child, again ? 'SIGKILL' : signal)
  setTimeout(() => children.forEach((child) => end(child, 'SIGKILL')), grace).unref()
  settle()
}

/** Handlers stand only while something has to be ended or undone, so that a server run in this process has its own. */
function settle() {
  if (caught && children.size === 0) {
    for (const cleanup of cleanups) cleanup()
    for (const signal of signals) process.off(signal, onSignal)
    process.kill(process.pid, caught)
    return
  }
  const wanted = children.size + cleanups.size > 0
  for (const signal of signals) {
    process.off(signal, onSignal)
    if (wanted) process.on(signal, onSignal)
  }
}

/**
 * Has `cleanup` called if a signal ends this process; the returned function calls it on the ordinary way out.
 * @param {() => void} cleanup
 */
export function guard(cleanup) {
  cleanups.add(cleanup)
  settle()
  return () => {
    cleanups.delete(cleanup)
    settle()
    cleanup()
  }
}

/**
 * Starts a process in a group of its own; a signal to this process ends the group and then this process.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export function start(command, args, options) {
  const child = spawn(command, args, { cwd: root, detached: ownGroup, ...options })
  children.add(child)
  const gone = () => {
    children.delete(child)
    // What is left of its group did not heed the signal that ended the child.
    if (caught) end(child, 'SIGKILL')
    settle()
  }
  child.once('exit', gone).once('error', gone)
  settle()
  return child
}

/** @param {import('node:child_process').ChildProcess} child a process that is asked to end, and is waited for */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  end(child, 'SIGTERM')
  const late = setTimeout(() => end(child, 'SIGKILL'), grace)
  await gone
  clearTimeout(late)
}

/** @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, capture?: boolean, toStderr?: boolean }} RunOptions */

/**
 * Runs a program to its end, with its output on ours, or collected with `capture`. Resolves with its exit code; a
 * program that was killed counts as 1.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, { capture, toStderr, ...options } = {}) {
  const out = capture ? 'pipe' : toStderr ? process.stderr.fd : 'inherit'
  return new Promise((resolve, reject) => {
    const child = start(command, args, { stdio: ['ignore', out, capture ? 'pipe' : 'inherit'], ...options })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text))
    child.once('error', reject)
    child.once('close', (code) => {
      if (!caught) resolve({ code: code ?? 1, output })
    })
  })
}

/** The same for a program that this Node runs. @param {readonly string[]} args @param {RunOptions} [options] */
export const node = (args, options) => run(process.execPath, args, options)

/** The environment without what npm adds for the script that runs now: `--omit=dev` or a prefix must not reach an inner npm. */
export function cleanEnv() {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_') && name !== 'NODE_ENV')
  return Object.fromEntries(kept)
}

/** The last line of every script that counts, read by `.ci/run`. @param {string} name @param {number} passed @param {number} failed @param {string} [more] */
export function tally(name, passed, failed, more = '') {
  process.stdout.write(`${name}: ${passed} passed, ${failed} failed${more}\n`)
}

/** True in the script that was started, false in one that another imports. @param {string} url its `import.meta.url` */
export const isMain = (url) => process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(url)
