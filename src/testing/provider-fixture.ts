import type { Provider } from '../library/index.ts'

/**
 * A provider under test, filled with 3 to a few hundred resources, at least one of them not empty, of at most 1 MiB
 * each. Nothing else may change it while a case runs.
 */
export interface ProviderFixture {
  readonly provider: Provider
  /** Adds a resource that was not there, and resolves to its URI once it is listed. */
  readonly insert?: () => Promise<string>
  /** Takes one away, and resolves once it is no longer listed. */
  readonly remove?: (uri: string) => Promise<void>
  /** A URI in the provider's space that nothing stands behind. Default: a listed URI with `-nothing-here` after it. */
  readonly missing?: string
  /** What `children` is asked for first. Default: `children` is tried on nothing. */
  readonly directory?: string
  /** Takes down what the maker set up; the provider itself has been disposed before. */
  readonly dispose?: () => PromiseLike<void>
}

/**
 * Makes a new fixture, or just a provider; called once for each case, so that no case sees what another did.
 */
export type CreateFixture = () => ProviderFixture | Provider | Promise<ProviderFixture | Provider>

/** One thing that every provider must get right. `run` rejects with an Error that says what was wanted and what came. */
export interface ProviderCase {
  readonly name: string
  readonly run: () => Promise<void>
}

/** A case before it has a fixture. */
export interface FixtureCase {
  readonly name: string
  readonly run: (fixture: ProviderFixture) => Promise<void>
}
