import { bench, do_not_optimize, group, run } from 'mitata'
import { AccessRules } from '../src/library/policies/access-rules.ts'
import type { AccessRule, Principal } from '../src/index.ts'
import { normalUri } from '../src/uri/index.ts'

const principal: Principal = { id: 'ann', kind: 'authenticated', scopes: ['docs'], claims: {} }

/** Distinct flat strings, so that no run meets the string of the run before. */
function fresh(make: (n: number) => string): () => string {
  const uris = Array.from({ length: 1024 }, (_, n) => Array.from(make(n)).join(''))
  let next = 0
  return () => uris[next++ & 1023] as string
}

const kinds: readonly (readonly [name: string, rules: readonly AccessRule[]])[] = [
  ['prefixes', [...Array.from({ length: 19 }, (_, i) => ({ deny: `file:///root/part${i}` })), { allow: 'file:///root/' }]],
  [
    'templates',
    [...Array.from({ length: 19 }, (_, i) => ({ deny: `file:///root/part${i}/{+x}` })), { allow: 'file:///root/{+path}' }],
  ],
]

const uris: readonly (readonly [name: string, make: (n: number) => string])[] = [
  ['plain', (n) => `file:///root/docs/guide/page${n}.md`],
  ['with triplets', (n) => `file:///root/docs/caf%C3%A9/page%20${n}.md`],
  ['that may be understood otherwise', (n) => `file:///root/docs/R%26D/page${n}.md`],
]

for (const [kind, rules] of kinds) {
  group(`a decision by 20 rules with ${kind}`, () => {
    const known = new AccessRules(rules)
    for (const [name, make] of uris) {
      const uri = fresh(make)
      bench(`on a URI ${name}`, () => do_not_optimize(known.of(principal).decide('list', uri())))
    }
    const uri = fresh((n) => `file:///root/docs/guide/page${n}.md`)
    bench('its normal form alone', () => do_not_optimize(normalUri(uri())))
  })
}

await run()
