import { createInterface } from 'node:readline/promises'
import type { ConsentRequest } from '../transports/open/index.ts'
import { formatDescription } from '../transports/open/index.ts'
import { STOP_SIGNALS } from './signals.ts'

/** Settles when no question is open. */
let before: Promise<unknown> = Promise.resolve()

/**
 * Whoever brought the file along chose what it starts: a person decides. A question that is left is answered with no.
 * There is one at a time, since what is typed would answer all of them.
 */
export function askConsent(request: ConsentRequest): Promise<boolean> {
  const answer = before.then(() => ask(request))
  before = answer.catch(() => undefined)
  return answer
}

async function ask({ description }: ConsentRequest): Promise<boolean> {
  for (const line of formatDescription(description)) process.stderr.write(`${line}\n`)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  // While a line is typed, Ctrl+C is a character. Whoever catches signals hears of it first, and then the question ends.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const left = new AbortController()
  const leave = (): void => left.abort()
  lines.once('close', leave)
  for (const signal of STOP_SIGNALS) process.on(signal, leave)
  try {
    const answer = await lines.question('Start it, now and until its description changes? [y/N] ', left)
    return /^y(?:es)?$/i.test(answer.trim())
  } catch {
    return false
  } finally {
    for (const signal of STOP_SIGNALS) process.off(signal, leave)
    lines.close()
  }
}
