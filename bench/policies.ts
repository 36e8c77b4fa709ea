import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bench, do_not_optimize, group, run, summary } from 'mitata'
import { cache, limits, localCall, redact } from '../src/index.ts'
import type { Provider } from '../src/index.ts'
import { files } from '../src/providers/files/index.ts'

const KIB = 1024
const root = mkdtempSync(join(tmpdir(), 'shelfmark-bench-'))
const prose = 'The quick brown fox jumps over the lazy dog: a = b("c"), and the password is not told.\n'
writeFileSync(join(root, 'small.txt'), prose.repeat(12).slice(0, KIB))
writeFileSync(join(root, 'large.txt'), prose.repeat(12 * KIB).slice(0, KIB * KIB))

const source = files({ root, name: 'bench' })
const call = localCall()
const cached = cache({ ttlMs: 2 ** 31 - 1 })(source)

/** What a policy costs, beside the read of a file that it is put round. */
const kinds: readonly (readonly [name: string, provider: Provider])[] = [
  ['out of a cache', cached],
  ['through a cache that keeps nothing', cache()(source)],
  ['through limits', limits()(source)],
  ['through redact', redact()(source)],
]

for (const file of ['small.txt', 'large.txt']) {
  group(`a read of ${file}`, () => {
    summary(() => {
      const read = (provider: Provider) => async () =>
        do_not_optimize(await provider.read({ uri: `file:///bench/${file}`, maxBytes: 5 * KIB * KIB }, call))
      bench('of the file', read(source)).baseline(true)
      for (const [name, provider] of kinds) bench(name, read(provider))
    })
  })
}

await run()
rmSync(root, { recursive: true })
