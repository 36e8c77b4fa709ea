import { printable } from '../../runtime/index.ts'
import type { Finding, Severity } from './finding.ts'
import type { CheckResult } from './run-checks.ts'

/** Of evidence, what a person is shown. */
const LONGEST = 200

const TITLES: Readonly<Record<Severity, string>> = { error: 'Errors', warning: 'Warnings', info: 'For information' }
const COLOURS: Readonly<Record<Severity, string>> = { error: '31', warning: '33', info: '36' }

/** The result for a person, line by line, grouped by severity. Whatever a server sent is escaped. */
export function reportCard({ server, findings }: CheckResult, colours: boolean): readonly string[] {
  const paint = (code: string, text: string): string => (colours ? `\u001B[${code}m${text}\u001B[0m` : text)
  const { name = 'a server without a name', version = '', revision } = server
  const lines = [`${shown(`${name} ${version}`.trim())}, judged by revision ${revision}`]
  for (const severity of ['error', 'warning', 'info'] as const) {
    const some = findings.filter((finding) => finding.severity === severity)
    if (some.length === 0) continue
    lines.push('', paint(`1;${COLOURS[severity]}`, TITLES[severity]))
    for (const finding of some) lines.push(...described(finding, paint))
  }
  lines.push('', counts(findings))
  return lines
}

function described(finding: Finding, paint: (code: string, text: string) => string): readonly string[] {
  const { severity, rule, message, subject, evidence, spec, advice } = finding
  return [
    `  ${paint(COLOURS[severity], rule)}  ${shown(message)}`,
    ...(subject === '' ? [] : [`    about   ${shown(subject)}`]),
    ...(evidence === undefined ? [] : [`    seen    ${shown(evidence)}`]),
    `    spec    ${spec}`,
    `    advice  ${advice}`,
  ]
}

/** Nothing of a server reaches the terminal as it is, and nothing takes more than its place. */
function shown(text: string): string {
  return printable(text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text)
}

function counts(findings: readonly Finding[]): string {
  const of = (severity: Severity): number => findings.filter((finding) => finding.severity === severity).length
  const [errors, warnings] = [of('error'), of('warning')]
  return `${errors} error${errors === 1 ? '' : 's'}, ${warnings} warning${warnings === 1 ? '' : 's'}, ${of('info')} for information`
}
