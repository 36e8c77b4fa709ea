import { openSearch } from '../../src/host/search/index.ts'
import type { ResourceSearch, SearchOptions } from '../../src/host/search/index.ts'
import { localCall } from '../../src/library/index.ts'
import type { Provider } from '../../src/library/index.ts'

/** An index that has all of it. */
export async function opened(provider: Provider, options: SearchOptions = {}): Promise<ResourceSearch> {
  const search = await openSearch(provider, localCall(), options)
  await search.ready
  return search
}

/** The URIs of what is found, the best first. */
export function uris(search: ResourceSearch, query: string, filters: Parameters<ResourceSearch['search']>[1] = {}): string[] {
  return search.search(query, filters).map(({ resource }) => resource.uri)
}
