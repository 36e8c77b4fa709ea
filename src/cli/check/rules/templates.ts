import { COMPLETE, RESOURCES_READ, REVISIONS } from '../../../protocol/index.ts'
import { isObject, isStrings } from '../../../protocol/index.ts'
import { expandTemplate, parseTemplate } from '../../../uri/index.ts'
import type { Rule } from '../finding.ts'
import type { Probe } from '../probe.ts'
import { codeOf, isReserved, resultOf, said, shownOf } from '../raw-answer.ts'
import { spread } from '../listed.ts'
import { COMPLETE_UNANSWERED } from './advertised.ts'
import { checkHints } from './caching.ts'
import { checkContents } from './contents.ts'
import { read } from './reading.ts'

const UNREADABLE: Rule = {
  id: 'template-unreadable',
  says: 'No URI that a template gives with the values that the server itself suggests for it can be read.',
  advice: 'Suggest values that can be read, or match the template in `resources/read`.',
  cites: [{ severity: 'warning', section: 'server/resources#resource-templates' }],
}

const SHAPE: Rule = {
  id: 'completion-shape',
  says: 'The result of `completion/complete` has no `completion.values` that is an array of text.',
  advice: 'Give `completion: { values: [] }` where there is nothing to suggest.',
  cites: [{ severity: 'error', section: 'server/utilities/completion#completeresult' }],
}

const TOO_MANY: Rule = {
  id: 'completion-too-many',
  says: 'A completion has more than 100 values.',
  advice: 'Give the best 100, and `hasMore: true`.',
  cites: [{ severity: 'error', section: 'server/utilities/completion#completion-results' }],
}

export const TEMPLATE_RULES: readonly Rule[] = [UNREADABLE, SHAPE, TOO_MANY]

/** So many templates are tried, each with so many values. */
const MOST_TEMPLATES = 10
const MOST_VALUES = 5
/** A longer one gives no URI that this library sends. */
const LONGEST = 8_192

/** Reads what templates give with the values that the server suggests. */
export async function checkTemplates(probe: Probe, templates: readonly string[]): Promise<void> {
  if (!probe.facts.completions || probe.facts.revision === '2024-11-05') return
  const sample = spread(
    templates.filter((template) => template.length <= LONGEST),
    MOST_TEMPLATES,
  )
  if (sample.length < templates.length)
    probe.skipped.push(`${templates.length - sample.length} of ${templates.length} templates were not tried`)
  for (const template of sample) {
    if (probe.over) return
    await checkTemplate(probe, template)
  }
}

async function checkTemplate(probe: Probe, template: string): Promise<void> {
  const names = [
    ...new Set(
      parseTemplate(template).parts.flatMap((part) => (part.kind === 'expression' ? part.variables.map(({ name }) => name) : [])),
    ),
  ]
  const known: Record<string, string> = {}
  let last: readonly string[] = []
  for (const name of names) {
    const values = await suggested(probe, template, name, known)
    if (values === undefined || values.length === 0) return
    last = values
    known[name] = values[0]!
  }
  const name = names.at(-1)
  if (name === undefined) return
  await readAll(
    probe,
    template,
    last.slice(0, MOST_VALUES).map((value) => ({ ...known, [name]: value })),
  )
}

async function suggested(
  probe: Probe,
  template: string,
  name: string,
  known: Readonly<Record<string, string>>,
): Promise<readonly string[] | undefined> {
  const { report, facts } = probe
  const { method } = COMPLETE
  const context = REVISIONS[facts.revision].completionContext && Object.keys(known).length > 0
  const answer = await probe.ask(
    method,
    {
      ref: { type: 'ref/resource', uri: template },
      argument: { name, value: '' },
      ...(context && { context: { arguments: known } }),
    },
    { subject: template },
  )
  if (codeOf(answer) === -32_601)
    report.add(COMPLETE_UNANSWERED, {
      subject: method,
      message: `The capability completions is declared, and ${method} ${said(answer)}`,
      evidence: shownOf(answer),
    })
  const result = resultOf(answer)
  if (result === undefined) return undefined
  const { completion } = result
  const values = isObject(completion) ? completion['values'] : undefined
  if (!isStrings(values)) {
    report.add(SHAPE, { subject: template, message: `The result of ${method} has no completion.values`, evidence: result })
    return undefined
  }
  if (values.length > 100)
    report.add(TOO_MANY, {
      subject: template,
      message: `A completion of ${name} has ${values.length} values`,
      evidence: values.slice(0, 3),
    })
  return values
}

/** One that can be read is enough: suggestions may be half a path, or gone since. */
async function readAll(probe: Probe, template: string, tries: readonly Readonly<Record<string, string>>[]): Promise<void> {
  let failed: { readonly uri: string; readonly words: string; readonly evidence: unknown } | undefined
  for (const values of tries) {
    const uri = expandTemplate<string>(template, values)
    const answer = await read(probe, uri)
    const code = codeOf(answer)
    const result = resultOf(answer)
    if (result !== undefined) {
      checkHints(probe.report, RESOURCES_READ.method, uri, result)
      checkContents(probe.report, uri, result)
    }
    if (answer.kind !== 'error' || code === undefined || !isReserved(code)) return
    failed = { uri, words: said(answer), evidence: shownOf(answer) }
  }
  if (failed === undefined) return
  probe.report.add(UNREADABLE, {
    subject: template,
    message: `The server suggests values for it, and none can be read: ${failed.uri} ${failed.words}`,
    evidence: failed.evidence,
  })
}
