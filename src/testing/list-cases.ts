import { covers, isName, localCall } from '../library/index.ts'
import type { Provider } from '../library/index.ts'
import type { Resource } from '../protocol/index.ts'
import { check, checkEqual, checkRejects } from './check.ts'
import type { FixtureCase } from './provider-fixture.ts'
import { walkPages } from './walk-pages.ts'

/** Every resource of a provider. */
export function listAll(provider: Provider, limit = 1_000): Promise<readonly Resource[]> {
  return walkPages((request) => provider.list(request, localCall()), limit)
}

const urisOf = (items: readonly Resource[]) => items.map((item) => item.uri)

export const listCases: readonly FixtureCase[] = [
  {
    name: 'name and prefixes have their form',
    async run({ provider }) {
      check(isName(provider.name), 'a name like [a-z][a-z0-9.-]*', provider.name)
      const { prefixes } = provider
      if (prefixes === 'any') return
      check(prefixes.length > 0, 'at least one prefix')
      for (const { uri } of await listAll(provider)) {
        check(
          prefixes.some((prefix) => covers(prefix, uri)),
          `a prefix of ${JSON.stringify(prefixes)} to cover what is listed`,
          uri,
        )
      }
    },
  },
  {
    name: 'list() gives each resource once, at every page size, in one order',
    async run({ provider }) {
      const whole = urisOf(await listAll(provider))
      check(whole.length >= 3, 'a fixture of 3 resources or more', whole.length)
      checkEqual(whole.length, new Set(whole).size, 'the number of different URIs')
      for (const limit of [1, 2, 7, 1_000, whole.length, whole.length + 1]) {
        checkEqual(urisOf(await listAll(provider, limit)), whole, `the list by pages of ${limit}`)
      }
    },
  },
  {
    name: 'list() promises more only when more follows',
    async run({ provider }) {
      const { length } = await listAll(provider)
      const exact = await provider.list({ limit: length }, localCall())
      checkEqual(exact.items.length, length, 'the length of a page that holds all')
      check(exact.next === undefined, 'no position after the last item', exact.next)
      const short = await provider.list({ limit: length - 1 }, localCall())
      check(short.next !== undefined, 'a position when one more item follows')
    },
  },
  {
    name: 'list() gives names, sizes and times of the right form',
    async run({ provider }) {
      for (const item of await listAll(provider)) {
        check(typeof item.name === 'string' && item.name !== '', `a name for ${item.uri}`, item.name)
        const { size, annotations } = item
        check(size === undefined || (Number.isSafeInteger(size) && size >= 0), `a size in bytes for ${item.uri}`, size)
        const time = annotations?.lastModified
        check(time === undefined || !Number.isNaN(Date.parse(time)), `an ISO 8601 time for ${item.uri}`, time)
      }
    },
  },
  {
    name: 'list() positions survive insertions',
    async run({ provider, insert }) {
      if (insert === undefined) return
      const before = urisOf(await listAll(provider))
      const first = await provider.list({ limit: 2 }, localCall())
      const added = [await insert(), await insert()]
      const rest = first.next === undefined ? [] : await walkPages((r) => provider.list(r, localCall()), 2, first.next)
      const seen = urisOf([...first.items, ...rest])
      checkEqual(seen.length, new Set(seen).size, 'the number of different URIs over an insertion')
      checkEqual(
        seen.filter((uri) => !added.includes(uri)),
        before,
        'what was there before an insertion',
      )
      const after = urisOf(await listAll(provider))
      for (const uri of added) check(after.includes(uri), 'what was inserted to be listed', uri)
    },
  },
  {
    name: 'list() positions survive deletions, of the item they stand at too',
    async run({ provider, remove }) {
      if (remove === undefined) return
      const before = urisOf(await listAll(provider))
      const first = await provider.list({ limit: 2 }, localCall())
      check(first.next !== undefined, 'a fixture of 3 resources or more')
      const gone = before[1] ?? ''
      await remove(gone)
      const rest = await walkPages((r) => provider.list(r, localCall()), 2, first.next)
      checkEqual(urisOf(rest), before.slice(2), 'what follows a deleted item')
      const after = urisOf(await listAll(provider))
      checkEqual(
        after,
        before.filter((uri) => uri !== gone),
        'what is left after a deletion',
      )
    },
  },
  {
    name: 'list() stops for a caller that gave up',
    async run({ provider }) {
      const controller = new AbortController()
      controller.abort()
      const work = provider.list({ limit: 1_000 }, localCall({ signal: controller.signal }))
      await checkRejects(work, ['cancelled'], 'a list for an aborted signal')
    },
  },
]
