import { CLI, run } from './command-line.ts'
import type { Ended } from './command-line.ts'

interface CheckedFinding {
  readonly severity: string
  readonly rule: string
  readonly message: string
  readonly subject: string
}

/** Runs `shelfmark check` with these arguments. */
export function check(...args: readonly string[]): Promise<Ended> {
  return run([CLI, 'check', ...args]).ended
}

/** The rules that a server breaks, each with its severity, in the order of the report; what is made up is `*`. */
export async function rulesOf(...args: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await check(...args, '--json')
  if (stdout === '') throw new Error(`${code}: ${stderr}`)
  const { findings } = JSON.parse(stdout) as { findings: readonly CheckedFinding[] }
  if (code !== (findings.some(({ severity }) => severity === 'error') ? 1 : 0)) throw new Error(`Exit code ${code}: ${stdout}`)
  return findings.map(
    ({ severity, rule, subject }) =>
      `${severity} ${rule} ${subject.replace(/shelfmark-check-[0-9a-f]{16}/, '*').replace(/:\d+$/, ':PORT')}`,
  )
}
