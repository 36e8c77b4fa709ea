import { resolve } from 'node:path'
import type { ZodType } from 'zod'
import { parseAddress } from '../serve/address.ts'
import type { FileMount, FileSettings } from '../serve/given.ts'
import type { PolicyRow, PolicySettings } from '../serve/policies.ts'
import { MOUNT_POLICIES, POLICIES } from '../serve/policies.ts'
import { isUpstream, kindOf, parseSource } from '../sources.ts'
import type { Kinds, ObjectOf, Shape } from './kinds.ts'
import { httpLimitKeys, httpLimits, limitsOf } from './limits.ts'

/** `SHELFMARK_KEY` has as many characters, at least. */
const SHORTEST_KEY = 32

/** Everything that a file may say (docs/configuration.md). Paths are taken from `folder`. */
export function schemaOf(kinds: Kinds, folder: string): ZodType<FileSettings> {
  const { object, optional, list, text, secret, taken, path, oneOf } = kinds
  const file = withPolicies(kinds, POLICIES, {
    name: optional(text()),
    mounts: optional(list(mountOf(kinds, folder))),
    http: optional(httpOf(kinds)),
    identity: optional(
      object({
        tokens: optional(path()),
        jwt: optional(object({ issuer: text(), audience: optional(text()), jwks: optional(text()) })),
        publicUrl: optional(text()),
        requiredScopes: optional(list(text())),
      }),
    ),
    tools: optional(oneOf(['none', 'resources', 'templates'])),
    limits: optional(limitsOf(kinds)),
    keys: optional(list(secret(SHORTEST_KEY))),
  })
  return taken(file, (value) => {
    const { policies, rest } = parted(value, POLICIES)
    return { ...rest, policies }
  })
}

/** An object that has a key for each policy too. */
function withPolicies<const S extends Shape>(
  kinds: Kinds,
  rows: readonly PolicyRow[],
  shape: S,
): ZodType<ObjectOf<S> & PolicySettings> {
  const { object, optional, orOff } = kinds
  const policies = rows.map((row) => {
    const schema = row.schema(kinds)
    return [row.name, optional(row.usual === undefined ? schema : orOff(schema))] as const
  })
  return object({ ...shape, ...Object.fromEntries(policies) }) as unknown as ZodType<ObjectOf<S> & PolicySettings>
}

/** The keys of policies, and the others. */
function parted<T extends object>(value: T, rows: readonly PolicyRow[]): { readonly policies: PolicySettings; readonly rest: T } {
  const names = rows.map(({ name }) => name)
  const entries = Object.entries(value)
  return {
    policies: Object.fromEntries(entries.filter(([key]) => names.includes(key))),
    rest: Object.fromEntries(entries.filter(([key]) => !names.includes(key))) as T,
  }
}

function mountOf(kinds: Kinds, folder: string): ZodType<FileMount> {
  const { optional, oneOf, text, flag, list, secret, taken, written } = kinds
  const mount = withPolicies(kinds, MOUNT_POLICIES, {
    source: text(),
    name: optional(text()),
    hidden: optional(flag()),
    ignore: optional(flag()),
    poll: optional(flag()),
    allowSecrets: optional(list(text())),
    anyRoot: optional(flag()),
    symlinks: optional(oneOf(['within-root', 'deny'])),
    denyHardlinks: optional(flag()),
    sameDevice: optional(flag()),
    token: optional(secret()),
  })
  const checked = taken(mount, (value): FileMount => {
    const { policies, rest } = parted(value, MOUNT_POLICIES)
    const { source: asWritten, name, ...options } = rest
    const source = sourceOf(asWritten, name, folder)
    const { token, ...ofFolders } = options
    const odd = isUpstream(source) ? Object.keys({ ...ofFolders, ...policies })[0] : token !== undefined ? 'token' : undefined
    if (odd !== undefined)
      throw new Error(
        `${odd} is for ${isUpstream(source) ? 'folders' : 'servers (mcp:)'}, and ${JSON.stringify(asWritten)} is none`,
      )
    return { ...options, text: asWritten, source, policies }
  })
  return written(checked, (value) => (typeof value === 'string' ? { source: value } : value))
}

function sourceOf(text: string, name: string | undefined, folder: string): FileMount['source'] {
  const parsed = parseSource(text)
  if (name !== undefined && parsed.name !== undefined && name !== parsed.name)
    throw new Error(`is called ${parsed.name} by its source and ${name} by its name: leave one of them out`)
  const called = name ?? parsed.name
  const folderOfFile = resolve(folder, parsed.path)
  // What is no folder is left as it is for whoever says so.
  const path = isUpstream(parsed) || kindOf(parsed.path) !== undefined ? parsed.path : folderOfFile
  return { path, ...(called !== undefined && { name: called }) }
}

function httpOf(kinds: Kinds): ZodType<NonNullable<FileSettings['http']>> {
  const { object, optional, path, flag, list, text, taken, written } = kinds
  const listen = written(
    taken(text(), (value) => {
      const address = parseAddress(value)
      if (address !== undefined) return address
      throw new Error(`wants [host:]port, for example 7467 or 127.0.0.1:7467, got ${JSON.stringify(value)}`)
    }),
    (value) => (typeof value === 'number' ? String(value) : value),
  )
  const http = object({
    listen: optional(listen),
    tls: optional(object({ cert: path(), key: path() })),
    behindProxy: optional(flag()),
    allowedHosts: optional(list(text())),
    allowedOrigins: optional(list(text())),
    ...httpLimitKeys(kinds),
  })
  return taken(http, ({ listen: address, tls, behindProxy, allowedHosts, allowedOrigins, ...rest }) => ({
    ...address,
    ...(tls !== undefined && { tls }),
    ...(behindProxy !== undefined && { behindProxy }),
    ...(allowedHosts !== undefined && { allowedHosts }),
    ...(allowedOrigins !== undefined && { allowedOrigins }),
    limits: httpLimits(rest),
  }))
}
