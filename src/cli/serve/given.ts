import { UsageError } from '../output.ts'
import { parseSource } from '../sources.ts'
import { parseSize } from '../units.ts'
import { parseAddress } from './address.ts'
import type { PolicySettings } from './policies.ts'
import type { HttpLimits, HttpSettings, IdentitySettings, MountSettings, Settings } from './settings.ts'
import { UnfitSettings } from './settings.ts'

/** What a file says; all of it may be left out. */
export interface FileSettings extends Partial<
  Pick<Settings, 'name' | 'identity' | 'tools' | 'policies' | 'limits' | 'keys' | 'secretFiles'>
> {
  readonly mounts?: readonly FileMount[]
  readonly http?: Partial<Omit<HttpSettings, 'limits'>> & { readonly limits?: HttpLimits }
}

/** A mount of a file. */
export type FileMount = Pick<MountSettings, 'text' | 'source' | 'policies'> &
  Partial<Omit<MountSettings, 'text' | 'source' | 'policies'>>

/** Options of `shelfmark serve`. */
export const OPTIONS = {
  config: { type: 'string' },
  'dry-run': { type: 'boolean' },
  http: { type: 'string' },
  name: { type: 'string' },
  hidden: { type: 'boolean' },
  'no-ignore': { type: 'boolean' },
  poll: { type: 'boolean' },
  tools: { type: 'boolean' },
  'no-tools': { type: 'boolean' },
  'template-tools': { type: 'boolean' },
  'max-read': { type: 'string' },
  audit: { type: 'string' },
  trust: { type: 'boolean' },
  tokens: { type: 'string' },
  'jwt-issuer': { type: 'string' },
  'jwt-audience': { type: 'string' },
  jwks: { type: 'string' },
  'public-url': { type: 'string' },
  'required-scope': { type: 'string', multiple: true },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  'behind-proxy': { type: 'boolean' },
  'allow-host': { type: 'string', multiple: true },
  'allow-origin': { type: 'string', multiple: true },
  help: { type: 'boolean', short: 'h' },
} as const

/** Those options as they were given. */
export type Given = {
  readonly [K in keyof typeof OPTIONS]?: (typeof OPTIONS)[K] extends { readonly multiple: true }
    ? readonly string[]
    : (typeof OPTIONS)[K]['type'] extends 'boolean'
      ? boolean
      : string
}

/**
 * What to serve: sources of the command line come after those of the file, and an option that is given wins over it.
 *
 * @throws UsageError for options, UnfitSettings for what the file says
 */
export function settingsFrom(given: Given, sources: readonly string[], file: FileSettings = {}): Settings {
  const http = httpFrom(given, file)
  const identity = identityFrom(given, file.identity)
  const maxRead = given['max-read'] === undefined ? undefined : maxReadGiven(given['max-read'])
  if (given.audit === '') throw new UsageError('--audit takes the name of a file, for example audit.jsonl')
  const audit: PolicySettings =
    given.audit === undefined ? {} : { audit: { ...objectOf(file.policies?.['audit']), file: given.audit } }
  const mounts = [...(file.mounts ?? []), ...sources.map(mountOf)]
  if (mounts.length === 0) throw new UnfitSettings([{ path: ['mounts'], error: new Error('wants at least one') }])
  return {
    name: given.name ?? file.name ?? 'shelfmark',
    mounts: mounts.map((mount) => ({
      allowSecrets: [],
      anyRoot: false,
      ...mount,
      hidden: given.hidden ?? mount.hidden ?? false,
      ignore: given['no-ignore'] === true ? false : (mount.ignore ?? true),
      poll: given.poll ?? mount.poll ?? false,
    })),
    ...(http !== undefined && { http }),
    identity,
    tools: toolsGiven(given) ?? file.tools ?? 'resources',
    policies: { ...file.policies, ...audit },
    limits: { ...file.limits, ...(maxRead !== undefined && { maxRead }) },
    keys: file.keys ?? [],
    secretFiles: file.secretFiles ?? [],
    trust: given.trust ?? false,
  }
}

/** What is given of signed tokens is about those of the file, unless another issuer is given. */
function identityFrom(given: Given, file: IdentitySettings = {}): IdentitySettings {
  const tokens = given.tokens ?? file.tokens
  const publicUrl = given['public-url'] ?? file.publicUrl
  const requiredScopes = given['required-scope'] ?? file.requiredScopes ?? []
  const { 'jwt-issuer': issuer, 'jwt-audience': audience, jwks } = given
  const known = issuer === undefined ? file.jwt : { issuer }
  const odd = (['jwt-audience', 'jwks', 'public-url'] as const).find((name) => given[name] !== undefined)
  if (known === undefined && odd !== undefined) throw new UsageError(`--${odd} is about the tokens of --jwt-issuer <url>`)
  const jwt = known && { ...known, ...(audience !== undefined && { audience }), ...(jwks !== undefined && { jwks }) }
  if (jwt !== undefined && jwt.audience === undefined && publicUrl === undefined) throw withoutAudience(issuer !== undefined)
  if (tokens === undefined && jwt === undefined && requiredScopes.length > 0) throw withoutTokens(given)
  return {
    ...(tokens !== undefined && { tokens }),
    ...(jwt !== undefined && { jwt }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(requiredScopes.length > 0 && { requiredScopes }),
  }
}

function withoutAudience(isGiven: boolean): Error {
  if (isGiven)
    return new UsageError('--jwt-issuer wants --public-url, the URL under which clients come, which its tokens are for')
  const error = new Error('wants audience, or publicUrl beside it: what its tokens are for')
  return new UnfitSettings([{ path: ['identity', 'jwt'], error }])
}

function withoutTokens(given: Given): Error {
  if (given['required-scope'] !== undefined)
    return new UsageError('--required-scope is what tokens must have: add --jwt-issuer or --tokens')
  const error = new Error('is what tokens must have: add tokens or jwt')
  return new UnfitSettings([{ path: ['identity', 'requiredScopes'], error }])
}

function toolsGiven(given: Given): Settings['tools'] | undefined {
  const { tools, 'no-tools': none, 'template-tools': templates } = given
  if (none === true) {
    if (tools !== true && templates !== true) return 'none'
    throw new UsageError(`--no-tools leaves out what --${tools === true ? 'tools' : 'template-tools'} offers: give one of them`)
  }
  if (templates === true) return 'templates'
  return tools === true ? 'resources' : undefined
}

function mountOf(text: string): FileMount {
  return { text, source: parseSource(text), policies: {} }
}

function httpFrom(given: Given, { http: file, identity }: FileSettings): HttpSettings | undefined {
  const cert = given['tls-cert'] ?? file?.tls?.cert
  const key = given['tls-key'] ?? file?.tls?.key
  if (given.http === undefined && file === undefined) {
    refuseWithoutHttp(given, identity)
    return undefined
  }
  if ((cert === undefined) !== (key === undefined)) throw new UsageError('--tls-cert and --tls-key go together')
  const address = given.http === undefined ? { host: file?.host, port: file?.port ?? DEFAULT_PORT } : addressGiven(given.http)
  return {
    ...(address.host !== undefined && { host: address.host }),
    port: address.port,
    ...(cert !== undefined && key !== undefined && { tls: { cert, key } }),
    behindProxy: given['behind-proxy'] ?? file?.behindProxy ?? false,
    allowedHosts: given['allow-host'] ?? file?.allowedHosts ?? [],
    allowedOrigins: given['allow-origin'] ?? file?.allowedOrigins ?? [],
    limits: file?.limits ?? {},
  }
}

const DEFAULT_PORT = 7467

function addressGiven(text: string): { readonly host?: string; readonly port: number } {
  const address = parseAddress(text)
  if (address !== undefined) return address
  throw new UsageError(`--http takes [host:]port, for example 7467 or 127.0.0.1:7467, got ${JSON.stringify(text)}`)
}

function maxReadGiven(text: string): number {
  const bytes = parseSize(/^\d+$/.test(text) ? Number(text) : text)
  if (bytes !== undefined) return bytes
  throw new UsageError(`--max-read takes a size such as 10MiB, or a number of bytes, got ${JSON.stringify(text)}`)
}

const HTTP_ONLY = [
  'tokens',
  'jwt-issuer',
  'jwt-audience',
  'jwks',
  'public-url',
  'required-scope',
  'tls-cert',
  'tls-key',
  'behind-proxy',
  'allow-host',
  'allow-origin',
] as const satisfies readonly (keyof Given)[]

/** What is of HTTP alone would protect nothing on standard input and output. */
function refuseWithoutHttp(given: Given, identity: IdentitySettings = {}): void {
  const odd = HTTP_ONLY.find((name) => given[name] !== undefined)
  if (odd !== undefined) throw new UsageError(`--${odd} is for serving over HTTP: add --http [host:]port`)
  if (Object.keys(identity).length === 0) return
  const error = new Error('is for serving over HTTP: add http, with listen')
  throw new UnfitSettings([{ path: ['identity'], error }])
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
