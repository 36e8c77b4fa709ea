import type { Connect, Hub } from '../client/index.ts'
import { upstream } from '../providers/upstream/index.ts'
import type { TargetOptions } from './open-target.ts'
import { connectTo } from './open-target.ts'
import { note, UsageError } from './output.ts'
import type { Source } from './sources.ts'
import { UPSTREAM } from './sources.ts'
import { unusedName } from './unused-name.ts'
import { upstreamName } from './upstream-name.ts'

/** What is served of other servers. */
export interface Upstreams {
  readonly provider: Hub
  /** Each source, and what its URIs begin with; of a single one they stay as they are. */
  readonly served: readonly { readonly text: string; readonly as: string }[]
}

/** A source that is a server, and what it is sent. */
export interface ServerSource extends Source {
  readonly token?: string
}

/** All servers among the sources as one Provider: one keeps its URIs, of more each has `name+` before them. */
export function openUpstreams(sources: readonly ServerSource[], options: TargetOptions): Upstreams {
  const servers = new Map<string, { readonly text: string; readonly connect: Connect }>()
  for (const { name, path, token } of sources) {
    const text = path.slice(UPSTREAM.length).trim()
    const connect = connectTo(path, token === undefined ? options : { ...options, token })
    servers.set(free(name ?? upstreamName(text), servers, name !== undefined), { text, connect })
  }
  const connects = [...servers].map(([name, { connect }]) => [name, connect] as const)
  const provider = upstream({
    servers: Object.fromEntries(connects),
    onNotice: ({ provider: server, message, level }) => {
      if (level === 'warning') note(`${server}: ${message}`)
    },
  })
  const single = servers.size === 1
  return { provider, served: [...servers].map(([name, { text }]) => ({ text, as: single ? 'its own URIs' : `${name}+...` })) }
}

/** A name that no other has; one that was given is not changed behind anybody's back. */
function free(name: string, taken: ReadonlyMap<string, unknown>, given: boolean): string {
  if (given && !/^[a-z][a-z0-9.-]*$/.test(name)) {
    throw new UsageError(`The name of a server begins its URIs, and is like [a-z][a-z0-9.-]*, got ${JSON.stringify(name)}`)
  }
  if (given && taken.has(name))
    throw new UsageError(`Two servers have the name ${name}: give one of them another, for example other=mcp:...`)
  return unusedName(name, (one) => taken.has(one))
}
