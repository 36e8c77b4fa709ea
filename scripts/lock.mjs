import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { guard } from './run.mjs'

const heartbeat = 3_000
const staleAfter = 30_000

/** @param {string} file */
function holder(file) {
  try {
    return { pid: Number(readFileSync(file, 'utf8')), age: Date.now() - statSync(file).mtimeMs }
  } catch {
    return undefined
  }
}

/** @param {number} pid */
function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM'
  }
}

/** @param {string} file */
function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
  }
  const held = holder(file)
  if (held && alive(held.pid) && held.age < staleAfter) return false
  // Nobody's: moved away first, since between a look and a removal another process may have taken it anew.
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
  } catch {
    return false
  }
  const moved = holder(aside)
  if (moved && held && moved.pid !== held.pid) renameSync(aside, file)
  else rmSync(aside, { force: true })
  return false
}

/**
 * Runs `work` while this process alone holds `file`. A holder that died, or gave no sign for 30 s, is passed over.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, work) {
  for (let turn = 0; !take(file); turn++) {
    if (turn === 10)
      process.stderr.write(`Waiting for another set-up (process ${holder(file)?.pid ?? 'unknown'}) to finish ...\n`)
    await sleep(100)
  }
  const beat = setInterval(() => {
    const now = new Date()
    try {
      utimesSync(file, now, now)
    } catch {
      // Removed by hand: the work goes on.
    }
  }, heartbeat)
  const release = guard(() => rmSync(file, { force: true }))
  try {
    return await work()
  } finally {
    clearInterval(beat)
    release()
  }
}
