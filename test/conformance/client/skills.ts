import { openClient } from '../../../src/client/index.ts'
import { connectHttp } from '../../../src/transports/http/index.ts'
import type { Drive, Scenarios } from './run.ts'
import { INFO, Session } from './session.ts'

const listSkills: Drive = async (run) => {
  await using session = new Session(run, () => connectHttp(run.url))
  await session.request('skills/list')
}

/** Reads a skill as the resources that it is made of. */
const readSkill: Drive = async (run) => {
  await listSkills(run)
  await using client = openClient(() => connectHttp(run.url), { era: run.era, info: INFO })
  await client.readText('skill://pdf-processing/SKILL.md')
  await client.readText('skill://pdf-processing/references/FORMS.md')
}

/** Scenarios of the skills extension. */
export const skills: Scenarios = {
  'sep-2640-client-no-prefetch': listSkills,
  'sep-2640-client-verify-digest': readSkill,
  'sep-2640-client-verify-size': readSkill,
  'sep-2640-client-verify-frontmatter': readSkill,
}
