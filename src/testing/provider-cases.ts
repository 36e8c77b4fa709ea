import { listCases } from './list-cases.ts'
import { optionalCases } from './optional-cases.ts'
import type { CreateFixture, ProviderCase, ProviderFixture } from './provider-fixture.ts'
import { readCases } from './read-cases.ts'

/**
 * What every Provider must get right, as a list of named cases for any test runner:
 *
 *     for (const { name, run } of providerCases(createFixture)) test(name, run)
 *
 * Each case makes a fixture of its own, starts the provider, and disposes both afterwards. Cases about an optional
 * operation pass when the provider does not have it; those about insertions and deletions when the fixture cannot.
 */
export function providerCases(create: CreateFixture): readonly ProviderCase[] {
  return [...listCases, ...readCases, ...optionalCases].map(({ name, run }) => ({
    name,
    async run() {
      const made = await create()
      const fixture: ProviderFixture = 'provider' in made ? made : { provider: made }
      try {
        await fixture.provider.start?.()
        await run(fixture)
      } finally {
        await fixture.provider[Symbol.asyncDispose]?.()
        await fixture.dispose?.()
      }
    },
  }))
}
