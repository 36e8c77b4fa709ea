import { basename, resolve } from 'node:path'
import type { Connect, Hub } from '../client/index.ts'
import { upstream } from '../providers/upstream/index.ts'
import type { TargetOptions } from './open-target.ts'
import { connectTo } from './open-target.ts'
import { note } from './output.ts'
import { unusedName } from './unused-name.ts'
import { machineName, upstreamName } from './upstream-name.ts'

/** Several `<server>` as one Provider: of more than one, each has its name before its URIs. */
export function openServers(texts: readonly string[], options: TargetOptions): Hub {
  const servers: Record<string, Connect> = {}
  for (const text of texts) servers[unusedName(nameOf(text), (name) => Object.hasOwn(servers, name))] = connectTo(text, options)
  return upstream({
    servers,
    onNotice: ({ provider, message, level }) => {
      if (level === 'warning' || options.verbose === true) note(provider === undefined ? message : `${provider}: ${message}`)
    },
  })
}

/** A folder is called after itself; `.` too. */
function nameOf(text: string): string {
  const isPath = /^(?:\.{0,2}\/|\.{1,2}$|~)/.test(text)
  const folder = isPath ? machineName(basename(resolve(text))) : ''
  return folder === '' ? upstreamName(text) : folder
}
