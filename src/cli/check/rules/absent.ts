import { randomBytes } from 'node:crypto'
import type { Rule } from '../finding.ts'
import type { Lists } from '../listed.ts'
import type { Probe } from '../probe.ts'
import { codeOf, isReserved, resultOf, said, shownOf } from '../raw-answer.ts'
import type { RawAnswer } from '../raw-answer.ts'
import { read } from './reading.ts'

const CODE: Rule = {
  id: 'not-found-code',
  says: 'A resource that does not exist is answered with another error code: -32602 in 2026-07-28, -32002 before.',
  advice: 'Answer with the code of the revision that is spoken, and the URI in `data.uri`.',
  cites: [
    { severity: 'warning', section: 'server/resources#error-handling', until: '2025-11-25' },
    { severity: 'error', section: 'server/resources#error-handling', from: '2026-07-28' },
  ],
}

const EMPTY: Rule = {
  id: 'empty-for-absent',
  says: 'A resource that does not exist is answered with empty `contents`.',
  advice: 'Answer with an error: nobody can tell empty contents from a resource that is empty.',
  cites: [
    { severity: 'warning', section: 'server/resources#error-handling', until: '2025-11-25' },
    { severity: 'error', section: 'server/resources#error-handling', from: '2026-07-28' },
  ],
}

const CONTENTS: Rule = {
  id: 'contents-for-absent',
  says: 'A URI of a scheme that nobody has is answered with contents, such as the text of an error.',
  advice: 'Answer with an error, not with contents that tell of one.',
  cites: [
    { severity: 'warning', section: 'server/resources#error-handling', until: '2025-11-25' },
    { severity: 'error', section: 'server/resources#error-handling', from: '2026-07-28' },
  ],
}

export const ABSENT_RULES: readonly Rule[] = [CODE, EMPTY, CONTENTS]

/** Of a URI that is asked beside. */
const LONGEST = 2_000

/** Asks for what cannot be there: a URI of no scheme of the server, and one beside a listed one. */
export async function checkAbsent(probe: Probe, { resources, templates }: Lists): Promise<void> {
  if (!probe.facts.resources) return
  const token = randomBytes(8).toString('hex')
  const strange = `shelfmark-check-${token}:absent`
  const first = resources.find(({ uri }) => uri.length < LONGEST && !/^https?:/i.test(uri))?.uri
  const beside = first === undefined ? undefined : besideOf(first, token)
  const isFree = (uri: string): boolean => !templates.some((template) => mayMatch(template, uri))
  const besideAnswer = beside !== undefined && isFree(beside) ? await read(probe, beside) : undefined
  const strangeAnswer = isFree(strange) ? await read(probe, strange) : undefined
  if (strangeAnswer !== undefined) {
    const contents = resultOf(strangeAnswer)?.['contents']
    if (Array.isArray(contents) && contents.length > 0)
      probe.report.add(CONTENTS, {
        subject: strange,
        message: 'A resource that cannot exist is answered with contents',
        evidence: shownOf(strangeAnswer),
      })
  }
  checkAnswerFor(probe, beside, besideAnswer)
  // Before 2026-07-28 a server may call a scheme that it does not know an invalid parameter.
  if (probe.modern || besideAnswer === undefined) checkAnswerFor(probe, strange, strangeAnswer)
}

function checkAnswerFor({ report, modern }: Probe, uri: string | undefined, answer: RawAnswer | undefined): void {
  if (uri === undefined || answer === undefined) return
  const contents = resultOf(answer)?.['contents']
  if (Array.isArray(contents) && contents.length === 0)
    report.add(EMPTY, {
      subject: uri,
      message: 'A resource that does not exist is answered with empty contents',
      evidence: shownOf(answer),
    })
  const code = codeOf(answer)
  const wanted = modern ? -32_602 : -32_002
  // Codes of the server's own may mean anything, such as that nobody may ask.
  if (code !== undefined && code !== wanted && isReserved(code))
    report.add(CODE, {
      subject: uri,
      message: `A resource that does not exist ${said(answer)}, not with error ${wanted}`,
      evidence: shownOf(answer),
    })
}

/** A URI that is not listed, as near to one that is as may be. */
function besideOf(uri: string, token: string): string {
  const [head = uri] = /^[^?#]*/.exec(uri) ?? []
  return `${head.replace(/\/+$/, '')}-shelfmark-check-${token}`
}

/** Servers match more than their templates say, so that only the literal beginning counts. */
function mayMatch(template: string, uri: string): boolean {
  return uri.startsWith(/^[^{]*/.exec(template)?.[0] ?? '')
}
