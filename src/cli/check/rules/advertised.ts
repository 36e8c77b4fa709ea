import { isObject, RESOURCES_LIST, TEMPLATES_LIST } from '../../../protocol/index.ts'
import type { Rule } from '../finding.ts'
import type { Probe } from '../probe.ts'
import { codeOf, isReserved, resultOf, said, shownOf } from '../raw-answer.ts'
import type { RawAnswer } from '../raw-answer.ts'
import { checkHints } from './caching.ts'

/** A list that goes with a capability. */
function unanswered(name: 'resources' | 'tools' | 'prompts'): Rule {
  return {
    id: `${name}-unanswered`,
    says: `\`${name}\` is declared, and \`${name}/list\` is answered with an error.`,
    advice: 'Answer the list, with an empty one where there is nothing, or do not declare the capability.',
    cites: [
      { severity: 'warning', section: 'architecture/index#capability-negotiation', until: '2025-11-25' },
      { severity: 'error', section: `server/${name}#capabilities`, from: '2026-07-28' },
    ],
  }
}

const RESOURCES_UNANSWERED = unanswered('resources')

/** Lists of other capabilities, which are asked for once and not used. */
const OTHERS = [
  ['tools', unanswered('tools')],
  ['prompts', unanswered('prompts')],
] as const

export const COMPLETE_UNANSWERED: Rule = {
  id: 'completion-unanswered',
  says: '`completions` is declared, and `completion/complete` is answered with "method not found".',
  advice: 'Answer `completion/complete`, or do not declare `completions`.',
  cites: [{ severity: 'warning', section: 'architecture/index#capability-negotiation', from: '2025-03-26' }],
}

export const TEMPLATES_UNANSWERED: Rule = {
  id: 'templates-unanswered',
  says: '`resources` is declared, and `resources/templates/list` is answered with an error.',
  advice: 'Answer with an empty list: hosts ask every server that has resources, and some take the error for a broken server.',
  cites: [{ severity: 'info', section: 'server/resources#resource-templates' }],
}

const UNDECLARED: Rule = {
  id: 'undeclared-resources',
  says: 'The server lists resources or templates, and does not declare `resources`.',
  advice: 'Declare `resources` in the capabilities, else hosts do not ask.',
  cites: [{ severity: 'error', section: 'server/resources#capabilities' }],
}

export const ADVERTISED_RULES: readonly Rule[] = [
  RESOURCES_UNANSWERED,
  ...OTHERS.map(([, rule]) => rule),
  COMPLETE_UNANSWERED,
  TEMPLATES_UNANSWERED,
  UNDECLARED,
]

/** Whether what is declared is answered, and what is answered is declared; the lists of resources are walked elsewhere. */
export async function checkAdvertised(probe: Probe): Promise<void> {
  const { report, facts } = probe
  for (const [name, rule] of OTHERS) {
    if (!isObject(facts.capabilities[name])) continue
    const method = `${name}/list`
    const answer = await probe.ask(method)
    if (answer.kind === 'error') reportAs(probe, rule, method, answer)
    const result = resultOf(answer)
    if (result !== undefined) checkHints(report, method, method, result)
  }
  if (facts.resources) return
  for (const [method, member] of [
    [RESOURCES_LIST.method, 'resources'],
    [TEMPLATES_LIST.method, 'resourceTemplates'],
  ] as const) {
    const answer = await probe.ask(method)
    const items = resultOf(answer)?.[member]
    if (Array.isArray(items) && items.length > 0)
      report.add(UNDECLARED, {
        subject: method,
        message: `${method} gives ${items.length} entries, and the capability resources is not declared`,
        evidence: facts.capabilities,
      })
  }
}

/** A list of resources or templates came back as an error, although `resources` is declared. */
export function reportUnanswered(probe: Probe, method: string, answer: RawAnswer): void {
  reportAs(probe, method === TEMPLATES_LIST.method ? TEMPLATES_UNANSWERED : RESOURCES_UNANSWERED, method, answer)
}

function reportAs({ report }: Probe, rule: Rule, method: string, answer: RawAnswer): void {
  const code = codeOf(answer)
  // What only a login would show is the server's good right.
  if (code !== undefined && !isReserved(code)) return
  report.add(rule, {
    subject: method,
    message: `The capability ${method.split('/')[0]} is declared, and ${method} ${said(answer)}`,
    evidence: shownOf(answer),
  })
}
