import type { AccessRule } from '../../library/index.ts'
import { hostInText } from './address.ts'
import { MOUNT_POLICIES, POLICIES, settingsOf, toldOf } from './policies.ts'
import type { Served } from './served.ts'
import type { IdentitySettings, Settings } from './settings.ts'
import { callersOf } from './settings.ts'

/** What would be served, where, to whom and by which rules, for people. No secret is in it. */
export function describeServed(settings: Settings, { mounts, library }: Served): string {
  const { http, identity, limits, keys } = settings
  const lines = [
    `serves ${JSON.stringify(settings.name)} (${library.name}) ${placeOf(http)}`,
    ...mounts.flatMap(({ served }) => served.map(({ text, as }) => `  ${text} as ${as}`)),
    ...settings.mounts.flatMap(({ text, policies }) => {
      const own = MOUNT_POLICIES.filter(({ name }) => policies[name] !== undefined)
      const told = own.map((row) => [row.name, toldOf(row, policies[row.name])] as const)
      return told.length === 0 ? [] : [`  ${text}: ${shown(Object.fromEntries(told))}`]
    }),
    `identity: ${describeIdentity(identity)}`,
    ...(http === undefined ? [] : [`hosts: ${shown(http.allowedHosts)}, origins: ${shown(http.allowedOrigins)}, beside its own`]),
  ]
  lines.push(`tools: ${settings.tools}`)
  for (const row of POLICIES) {
    const own = settingsOf(row, settings.policies, callersOf(settings))
    if (own === undefined) lines.push(`${row.name}: none`)
    else if (row.name === 'access') lines.push('access:', ...(own as readonly AccessRule[]).map((rule) => `  ${shown(rule)}`))
    else lines.push(`${row.name}: ${shown(own) === '{}' ? 'defaults' : shown(toldOf(row, own))}`)
  }
  lines.push(`limits: ${shown(limits) === '{}' ? 'defaults' : shown(limits)}`)
  lines.push(`keys: ${keys.length === 0 ? 'of the environment, or of this process' : keys.length}`)
  return `${lines.join('\n')}\n`
}

function describeIdentity({ tokens, jwt, publicUrl, requiredScopes = [] }: IdentitySettings): string {
  if (tokens === undefined && jwt === undefined) return 'everybody is the local user'
  const said = [
    tokens === undefined ? [] : [`tokens of ${tokens}`],
    jwt === undefined ? [] : [`tokens of ${jwt.issuer} for ${jwt.audience ?? publicUrl}`],
    requiredScopes.length === 0 ? [] : [`with the scopes ${requiredScopes.join(' ')}`],
  ]
  return said.flat().join(', ')
}

function placeOf(http: Settings['http']): string {
  if (http === undefined) return 'on standard input and output'
  return `at ${http.tls === undefined ? 'http' : 'https'}://${hostInText(http.host ?? '127.0.0.1')}:${http.port}/mcp`
}

function shown(value: unknown): string {
  return JSON.stringify(value)
}
