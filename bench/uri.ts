import { bench, do_not_optimize, group, run } from 'mitata'
import { createTemplateTable, matchTemplate, parseTemplate } from '../src/uri/index.ts'

/** Distinct flat strings, so that no run meets the string of the run before. */
function fresh(make: (n: number) => string): () => string {
  const uris = Array.from({ length: 1024 }, (_, n) => Array.from(make(n)).join(''))
  let next = 0
  return () => uris[next++ & 1023] as string
}

const single: readonly (readonly [template: string, uri: (n: number) => string])[] = [
  ['note://{id}', (n) => `note://${n}`],
  ['repo://{owner}/{name}', (n) => `repo://owner${n}/name`],
  ['file:///docs/{+path}', (n) => `file:///docs/guide/part${n}/index.md`],
  ['file:///docs/{+path} ', (n) => `file:///docs/caf%C3%A9/${n}%20%C3%A9.md`],
  ['page://{id}{?sel,attrs,limit}', (n) => `page://${n}?limit=5&sel=h1&attrs=x`],
  ['api://h{/path*}{?ref}', (n) => `api://h/a/b/c${n}?ref=main`],
  ['git://{+repo}/-/blob/{ref}/{+path}', (n) => `git://group/sub/p${n}/-/blob/main/src/a.ts`],
]

group('matchTemplate()', () => {
  for (const [text, make] of single) {
    const template = parseTemplate(text.trim())
    const uri = fresh(make)
    bench(text.endsWith(' ') ? `${text.trim()} with four triplets` : text, () => do_not_optimize(matchTemplate(template, uri())))
  }
})

const kinds: readonly (readonly [name: string, template: (i: number) => string, uri: (i: number, n: number) => string])[] = [
  ['literal prefixes', (i) => `s://kind${i}/{a}/{b}`, (i, n) => `s://kind${i}/x${n}/y`],
  ['suffix segments', (i) => `s://{a}/{b}/kind${i}`, (i, n) => `s://x${n}/y/kind${i}`],
  ['patterns', (i) => `s://report-${i}-{a}.pdf`, (i, n) => `s://report-${i}-${n}.pdf`],
  ['{+path}/kindN', (i) => `s://{+path}/kind${i}`, (i, n) => `s://a/b/${n}/kind${i}`],
  ['a fixed parameter', (i) => `s://h/{a}?kind=k${i}{&b}`, (i, n) => `s://h/${n}?kind=k${i}&b=1`],
]

for (const [name, template, make] of kinds) {
  group(`createTemplateTable().match() with ${name}`, () => {
    for (const count of [1, 5_000, 100_000]) {
      const table = createTemplateTable<number>()
      for (let i = 0; i < count; i++) table.add(template(i), i)
      const uri = fresh((n) => make((n * 7919) % count, n))
      bench(`among ${count}`, () => do_not_optimize(table.match(uri())))
    }
  })
}

await run()
