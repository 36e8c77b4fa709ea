import { isObject } from '../../../protocol/index.ts'
import type { Rule } from '../finding.ts'
import { leakIn } from '../leak.ts'
import { said } from '../raw-answer.ts'
import type { RawAnswer } from '../raw-answer.ts'
import type { Report } from '../report.ts'
import type { Wire } from '../wire.ts'

const NO_ANSWER: Rule = {
  id: 'no-answer',
  says: 'A request gets no answer: the time is over, the connection ends, or HTTP refuses it without a JSON-RPC error.',
  advice: 'Answer every request, with a JSON-RPC error where it fails; see what the server writes on standard error.',
  cites: [
    { severity: 'warning', section: 'basic/messages#responses', until: '2024-11-05' },
    { severity: 'warning', section: 'basic/index#responses', from: '2025-03-26' },
  ],
}

const RESULT_SHAPE: Rule = {
  id: 'result-shape',
  says: 'The `result` of an answer is no object.',
  advice: 'Give a JSON object as `result`, an empty one where there is nothing to say.',
  cites: [
    { severity: 'error', section: 'basic/messages#responses', until: '2024-11-05' },
    { severity: 'error', section: 'basic/index#responses', from: '2025-03-26' },
  ],
}

const RESULT_TYPE: Rule = {
  id: 'result-type-missing',
  says: 'A result has no `resultType`, or one that is no text.',
  advice: 'Set `resultType: "complete"` on every result that is final.',
  cites: [{ severity: 'error', section: 'basic/index#result-responses', from: '2026-07-28' }],
}

const ERROR_SHAPE: Rule = {
  id: 'error-shape',
  says: 'An error has no integer `code` or no `message` that is text.',
  advice: 'Give every error an integer `code` and a `message`.',
  cites: [
    { severity: 'error', section: 'basic/messages#responses', until: '2024-11-05' },
    { severity: 'error', section: 'basic/index#responses', from: '2025-03-26', until: '2025-11-25' },
    { severity: 'error', section: 'basic/index#error-responses', from: '2026-07-28' },
  ],
}

const RESERVED_CODE: Rule = {
  id: 'reserved-code',
  says: 'An error has a code from -32099 to -32020 that the specification does not define.',
  advice: 'Take a code outside of -32768 to -32000 for errors of your own.',
  cites: [{ severity: 'error', section: 'basic/index#error-codes', from: '2026-07-28' }],
}

const ID_CHANGED: Rule = {
  id: 'id-changed',
  says: 'An answer has the id of its request as another type: a number came back as text.',
  advice: 'Give the id back as it came.',
  cites: [
    { severity: 'error', section: 'basic/messages#responses', until: '2024-11-05' },
    { severity: 'error', section: 'basic/index#responses', from: '2025-03-26', until: '2025-11-25' },
    { severity: 'error', section: 'basic/index#result-responses', from: '2026-07-28' },
  ],
}

const ERROR_LEAK: Rule = {
  id: 'error-leak',
  says: 'An error tells a stack trace, or a path of the machine that the request did not name.',
  advice: 'Write the reason to your own log, and send the client a sentence that it can act on.',
  cites: [{ severity: 'info', section: 'server/resources#security-considerations' }],
}

export const ANSWER_RULES: readonly Rule[] = [
  NO_ANSWER,
  RESULT_SHAPE,
  RESULT_TYPE,
  ERROR_SHAPE,
  RESERVED_CODE,
  ID_CHANGED,
  ERROR_LEAK,
]

/** Codes from -32099 to -32020 that have a meaning (basic/index, Error Codes). */
const DEFINED = [-32_020, -32_021, -32_022]

/** What holds for the answer to any request. */
export function checkAnswer(
  { report, known, wire }: { readonly report: Report; readonly known: ReadonlySet<string>; readonly wire: Wire },
  { method, subject, answer }: { readonly method: string; readonly subject: string; readonly answer: RawAnswer },
): void {
  for (const id of wire.changedIds.splice(0))
    report.add(ID_CHANGED, { subject: method, message: `An answer to ${method} has the id as another type`, evidence: id })
  switch (answer.kind) {
    case 'silent':
    case 'lost':
      return report.add(NO_ANSWER, { subject, message: `${method} ${said(answer)}` })
    case 'result': {
      const { result } = answer
      if (!isObject(result))
        return report.add(RESULT_SHAPE, { subject, message: `The result of ${method} is no object`, evidence: result ?? 'none' })
      if (typeof result['resultType'] !== 'string')
        report.add(RESULT_TYPE, { subject: method, message: `The result of ${method} has no resultType`, evidence: result })
      return
    }
    case 'error': {
      const { error } = answer
      const { code, message } = isObject(error) ? error : {}
      if (!Number.isInteger(code) || typeof message !== 'string')
        report.add(ERROR_SHAPE, {
          subject,
          message: `The error of ${method} has no integer code, or no message that is text`,
          evidence: error,
        })
      if (typeof code === 'number' && code <= -32_020 && code >= -32_099 && !DEFINED.includes(code))
        report.add(RESERVED_CODE, { subject, message: `${method} ${said(answer)}, which is not defined`, evidence: error })
      const leak = leakIn(error, [subject, ...known])
      if (leak !== undefined)
        report.add(ERROR_LEAK, { subject, message: `The error of ${method} tells ${leak.what}`, evidence: leak.text })
    }
  }
}
