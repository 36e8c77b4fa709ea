import type { Limits } from '../../server/index.ts'
import type { HttpOptions } from '../../transports/http/index.ts'
import type { Source, SourceOptions } from '../sources.ts'
import type { Callers, PolicySettings } from './policies.ts'

/** What is served, to whom and how, whether the command line or a file says so. Values are plain, so that they can be compared. */
export interface Settings {
  /** What the server calls itself. */
  readonly name: string
  readonly mounts: readonly MountSettings[]
  /** Without it standard input and output are served. */
  readonly http?: HttpSettings
  readonly identity: IdentitySettings
  /** What is offered to hosts that know only tools: nothing, all resources, or with a tool for each template. */
  readonly tools: 'none' | 'resources' | 'templates'
  /** Those that hold for everything. */
  readonly policies: PolicySettings
  readonly limits: Partial<Limits>
  /** The first seals, all open. Default: the key of the environment, or one of this process. */
  readonly keys: readonly string[]
  /** Files of which something is secret, so that none of them may be served. */
  readonly secretFiles: readonly string[]
  /** Start servers of the working folder's mcp.json without asking. */
  readonly trust: boolean
}

export interface MountSettings extends Pick<SourceOptions, 'symlinks' | 'denyHardlinks' | 'sameDevice'> {
  /** As it was written. */
  readonly text: string
  readonly source: Source
  readonly hidden: boolean
  readonly ignore: boolean
  readonly poll: boolean
  readonly allowSecrets: readonly string[]
  readonly anyRoot: boolean
  /** What a server over HTTP is sent. */
  readonly token?: string
  readonly policies: PolicySettings
}

export interface HttpSettings {
  readonly host?: string
  readonly port: number
  /** Paths of PEM files. */
  readonly tls?: { readonly cert: string; readonly key: string }
  readonly behindProxy: boolean
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  readonly limits: HttpLimits
}

export type HttpLimits = Pick<
  HttpOptions,
  'maxBody' | 'maxSessions' | 'sessionIdleMs' | 'keepAliveMs' | 'stallMs' | 'maxUnread' | 'drainMs'
>

/** Who a bearer token is of. Without any of it, everybody is the local user. */
export interface IdentitySettings {
  /** A file of tokens. */
  readonly tokens?: string
  readonly jwt?: JwtSettings
  /** Under which clients come, and for which they get tokens. */
  readonly publicUrl?: string
  /** All of them are needed for anything. */
  readonly requiredScopes?: readonly string[]
}

/** Tokens that an authorization server signs. */
export interface JwtSettings {
  readonly issuer: string
  /** What its tokens are for. Default: the public URL. */
  readonly audience?: string
  /** Where its keys are. Default: where its metadata says. */
  readonly jwks?: string
}

/** Who may ask what is served by these settings. */
export function callersOf({ http, identity }: Settings): Callers {
  return { overHttp: http !== undefined, identified: (identity.tokens ?? identity.jwt) !== undefined }
}

/** Where a setting is in the file. */
export type SettingPath = readonly (string | number)[]

/** A setting that cannot be used, and where it is. */
export interface UnfitSetting {
  readonly path: SettingPath
  readonly error: unknown
}

/** Settings that are well formed and cannot be used: a folder that is not there, a name that is taken. */
export class UnfitSettings extends Error {
  override readonly name = 'UnfitSettings'
  readonly all: readonly UnfitSetting[]

  constructor(all: readonly UnfitSetting[]) {
    super(all.map(({ error }) => (error instanceof Error ? error.message : String(error))).join('; '))
    this.all = all
  }
}
