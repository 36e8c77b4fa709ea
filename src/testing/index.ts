export { createFakeClock } from './fake-clock.ts'
export type { FakeClock } from './fake-clock.ts'
export { providerCases } from './provider-cases.ts'
export type { CreateFixture, ProviderCase, ProviderFixture } from './provider-fixture.ts'
