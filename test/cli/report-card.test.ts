import { describe, expect, it } from 'vitest'
import { leakIn } from '../../src/cli/check/leak.ts'
import { reportCard } from '../../src/cli/check/report-card.ts'
import type { CheckResult } from '../../src/cli/check/run-checks.ts'

const RESULT: CheckResult = {
  server: { name: 'evil\u001B[2J', version: '1', revision: '2026-07-28', era: 'modern' },
  findings: [
    {
      severity: 'error',
      rule: 'invalid-base64',
      message: 'The blob is no base64',
      subject: 'note:\u202Egnp',
      evidence: `\n\u0007${'x'.repeat(500)}`,
      spec: 'https://example.com/spec',
      advice: 'Encode it.',
    },
    {
      severity: 'info',
      rule: 'incomplete',
      message: 'Not looked at: all',
      subject: '',
      spec: 'https://example.com/',
      advice: 'Wait.',
    },
  ],
}

describe('reportCard()', () => {
  it('escapes whatever a server sent, and cuts evidence', () => {
    expect(reportCard(RESULT, false)).toEqual([
      'evil\\u001b[2J 1, judged by revision 2026-07-28',
      '',
      'Errors',
      '  invalid-base64  The blob is no base64',
      '    about   note:\\u202egnp',
      `    seen    \\u000a\\u0007${'x'.repeat(198)}...`,
      '    spec    https://example.com/spec',
      '    advice  Encode it.',
      '',
      'For information',
      '  incomplete  Not looked at: all',
      '    spec    https://example.com/',
      '    advice  Wait.',
      '',
      '1 error, 0 warnings, 1 for information',
    ])
  })

  it('colours severities, and nothing that a server sent', () => {
    expect(reportCard(RESULT, true).slice(2, 5)).toEqual([
      '\u001B[1;31mErrors\u001B[0m',
      '  \u001B[31minvalid-base64\u001B[0m  The blob is no base64',
      '    about   note:\\u202egnp',
    ])
  })
})

describe('leakIn()', () => {
  it.each([
    'Error: x\n    at load (/srv/app/index.js:3:7)',
    'at async file:///srv/app/index.js:3:7',
    '  at new Server (node:internal/x:1:2)',
    'Traceback (most recent call last):\n',
    '  File "/srv/app/main.py", line 3, in load',
    '\tat com.example.Main.load(Main.java:12)',
    '   at Example.Load(String name) in /src/Example.cs:line 12',
    'goroutine 1 [running]:',
    "thread 'main' panicked at src/main.rs:3",
  ])('sees the stack trace in %j', (message) => {
    expect(leakIn({ code: 1, message }, [])?.what).toBe('a stack trace')
  })

  it.each(['at noon', 'Look at (file 3:7)', 'at 10:30:00', '404 at https://example.com/x:1:2'])('sees none in %j', (message) => {
    expect(leakIn({ code: 1, message }, [])).toBeUndefined()
  })

  it('takes time in proportion to the text, up to what it looks at', () => {
    const time = (text: string): number => {
      const start = performance.now()
      leakIn({ message: text }, [])
      return performance.now() - start
    }
    const hostile = (size: number): readonly string[] => [
      '\n'.repeat(size),
      `at ${'/:1'.repeat(size)}`,
      ' '.repeat(size),
      '/tmp/x '.repeat(size),
    ]
    for (const [index, small] of hostile(25_000).entries()) {
      const large = hostile(200_000)[index]!
      const best = (text: string): number => Math.min(...[1, 2, 3].map(() => time(text)))
      best(small)
      expect(best(large) / Math.max(best(small), 0.05)).toBeLessThan(32)
    }
  })
})
