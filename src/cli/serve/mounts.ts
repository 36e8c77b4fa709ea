import { ShelfError } from '../../errors.ts'
import type { Provider } from '../../library/index.ts'
import { createLibrary } from '../../library/index.ts'
import { UsageError } from '../output.ts'
import { isUpstream, openSource } from '../sources.ts'
import { unusedName } from '../unused-name.ts'
import type { PolicyContext } from './policies.ts'
import { MOUNT_POLICIES } from './policies.ts'
import type { MountSettings, Settings, UnfitSetting } from './settings.ts'

/** What became of a mount of the settings, or of all those that are other servers. */
export interface OpenMount {
  /** What it was opened for: it is kept as long as this stays. */
  readonly key: string
  readonly text: string
  readonly provider: Provider
  /** What is served, and under which URIs. */
  readonly served: readonly { readonly text: string; readonly as: string }[]
  /** Whether it is on other servers. */
  readonly remote: boolean
}

/**
 * The mounts of these settings: those that are open already and wanted as they are, and new ones for the others. Nothing is
 * started, and nothing of what is open is changed.
 */
export async function openMounts(
  { mounts, trust }: Settings,
  open: readonly OpenMount[],
  context: PolicyContext,
  unfit: UnfitSetting[],
): Promise<readonly OpenMount[]> {
  const known = new Map(open.map((mount) => [mount.key, mount]))
  const wanted = mounts.map((settings, at) => ({ settings, at, key: JSON.stringify(settings) }))
  const local = wanted.filter(({ settings }) => !isUpstream(settings.source))
  const names = new Set(local.flatMap(({ key }) => known.get(key)?.provider.name ?? []))
  const placed: { readonly at: number; readonly mount: OpenMount }[] = []
  for (const { settings, at, key } of local) {
    try {
      const kept = known.get(key)
      // The same thing twice is two mounts of one name, which is refused below.
      known.delete(key)
      placed.push({ at, mount: kept ?? openFolder(settings, key, names, context) })
    } catch (error) {
      unfit.push({ path: ['mounts', at], error })
    }
  }
  const servers = wanted.filter(({ settings }) => isUpstream(settings.source))
  const [first] = servers
  if (first !== undefined) {
    const key = JSON.stringify([trust, ...servers.map((server) => server.key)])
    try {
      const kept = known.get(key)
      const mount =
        kept ??
        (await openServers(
          servers.map(({ settings }) => settings),
          key,
          trust,
        ))
      placed.push({ at: first.at, mount })
    } catch (error) {
      unfit.push({ path: ['mounts', first.at], error })
    }
  }
  refuseTwins(placed, unfit)
  return placed.map(({ mount }) => mount)
}

function openFolder(settings: MountSettings, key: string, names: Set<string>, context: PolicyContext): OpenMount {
  const { text, source, policies } = settings
  let provider = named(openSource(source, settings), names)
  const served = [{ text, as: String(provider.prefixes) }]
  for (const row of MOUNT_POLICIES.toReversed()) {
    const own = policies[row.name]
    if (own !== undefined && own !== false) provider = row.open(own, context)(provider)
  }
  return { key, text, provider, served, remote: false }
}

async function openServers(mounts: readonly MountSettings[], key: string, trust: boolean): Promise<OpenMount> {
  const { openUpstreams } = await import('../upstreams.ts')
  const sources = mounts.map(({ source, token }) => ({ ...source, ...(token !== undefined && { token }) }))
  const { provider, served } = openUpstreams(sources, { trust })
  return { key, text: mounts.map(({ text }) => text).join(', '), provider, served, remote: true }
}

/** Tries on a Library that is not used whether they can be mounted side by side. */
function refuseTwins(placed: readonly { readonly at: number; readonly mount: OpenMount }[], unfit: UnfitSetting[]): void {
  const trial = createLibrary({ name: 'trial' })
  for (const { at, mount } of placed) {
    try {
      trial.mount(mount.provider)
    } catch (error) {
      unfit.push({ path: ['mounts', at], error: ShelfError.is(error, 'duplicate') ? twins(mount) : error })
    }
  }
}

function twins({ text }: OpenMount): UsageError {
  const shown = text.slice(text.indexOf('=') + 1)
  return new UsageError(
    `Two sources have the same name, the second is ${JSON.stringify(text)}: give it another, for example other=${shown}`,
  )
}

/** A provider under a name of its own: `Race=` and `race=` are two roots, and derive the same one. */
function named(provider: Provider, taken: Set<string>): Provider {
  const name = unusedName(provider.name, (one) => taken.has(one))
  taken.add(name)
  return name === provider.name ? provider : { ...provider, name }
}
