import { grants } from './client/grants.ts'
import { logins } from './client/logins.ts'
import { plain } from './client/plain.ts'
import { runOf } from './client/run.ts'
import type { Scenarios } from './client/run.ts'
import { skills } from './client/skills.ts'

/** The program that the official conformance suite starts as the client, once for each scenario. */
const scenarios: Scenarios = { ...plain, ...logins, ...grants, ...skills }

const run = runOf(process.argv, process.env)
try {
  const drive = scenarios[run.scenario]
  if (drive === undefined) throw new Error(`${run.scenario} is not driven: test/conformance/client has no such scenario`)
  await drive(run)
  // Without this line the run counts as failed: the suite looks only at what reached its server.
  process.stdout.write('done\n')
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  process.exitCode = 1
}
