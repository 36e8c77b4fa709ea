import { setTimeout } from 'node:timers'

/** How long calls to the system that are under way may take to end, in milliseconds. */
const PATIENCE_MS = 200
const LOOK_MS = 10

/** Calls that a thread of the pool waits in. */
const IN_A_THREAD = /^(?:FSReq|FileHandleCloseReq|GetAddrInfoReq|GetNameInfoReq)/

/**
 * Ends this process with an exit code, or with a signal if a thread is blocked: `process.exit()` waits for all threads,
 * without end for one that opens a pipe which nobody writes to, or a file of a network drive that is gone.
 *
 * @param signal what the process then dies of; the one that asked for its end says that it ended as it was told
 * @param patienceMs how long to wait for threads that are at work
 */
export function endProcess(code: number, signal: NodeJS.Signals = 'SIGTERM', patienceMs: number = PATIENCE_MS): void {
  if (!process.getActiveResourcesInfo().some((kind) => IN_A_THREAD.test(kind))) process.exit(code)
  if (patienceMs > 0) setTimeout(() => endProcess(code, signal, patienceMs - LOOK_MS), LOOK_MS)
  else die(signal)
}

function die(signal: NodeJS.Signals): void {
  // Without listeners a signal does what the system has it do.
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), PATIENCE_MS)
}
