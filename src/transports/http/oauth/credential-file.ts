import { createHash } from 'node:crypto'
import { lstat, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import { ShelfError } from '../../../errors.ts'
import { isObject } from '../../../protocol/index.ts'
import { writePrivately } from '../../../user-files/index.ts'

export type Tokens = NonNullable<Awaited<ReturnType<OAuthClientProvider['tokens']>>>
export type Client = NonNullable<Awaited<ReturnType<OAuthClientProvider['clientInformation']>>>

/** What one authorization server has given for one server. */
export interface Credentials {
  readonly client?: Client | undefined
  /** Where that client was registered to be sent back to. */
  readonly redirectUrl?: string | undefined
  readonly tokens?: Tokens | undefined
  /** When it was written, in milliseconds since 1970. */
  readonly savedAt: number
}

/** By the issuer of the authorization server. */
export type CredentialsByIssuer = Readonly<Record<string, Credentials>>

/**
 * The credentials for one server, in a file that only its user may read: `<folder>/<host>-<hash>.json`. Each change is a
 * new file in place of the old one, so that a reader never sees half of it.
 */
export class CredentialFile {
  readonly path: string
  readonly #folder: string
  readonly #server: string

  /** @param server the origin of the server */
  constructor(folder: string, server: string) {
    const hash = createHash('sha256').update(server).digest('hex').slice(0, 16)
    this.#folder = folder
    this.#server = server
    this.path = join(folder, `${new URL(server).hostname.replace(/[^\w.-]/g, '_').slice(0, 100)}-${hash}.json`)
  }

  /** @throws ShelfError `refused` for a file that others may read, `parse-error` for one that is not ours or broken */
  async read(): Promise<CredentialsByIssuer> {
    const text = await this.#text()
    if (text === undefined) return {}
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      throw this.#broken()
    }
    if (!isObject(value) || value['server'] !== this.#server || !isObject(value['issuers'])) throw this.#broken()
    if (!Object.values(value['issuers']).every((entry) => isObject(entry) && typeof entry['savedAt'] === 'number')) {
      throw this.#broken()
    }
    return value['issuers'] as CredentialsByIssuer
  }

  /** Changes what is kept of one issuer. */
  async change(issuer: string, change: (credentials: Credentials) => Omit<Credentials, 'savedAt'>): Promise<void> {
    const issuers = await this.read()
    const changed = { ...change(issuers[issuer] ?? { savedAt: 0 }), savedAt: Date.now() }
    await this.#write(`${JSON.stringify({ server: this.#server, issuers: { ...issuers, [issuer]: changed } }, null, 2)}\n`)
  }

  /** Forgets all of it. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true })
  }

  async #text(): Promise<string | undefined> {
    const stat = await lstat(this.path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw new ShelfError('unavailable', `${this.path} cannot be read: ${(error as Error).message}`, {}, { cause: error })
    })
    if (stat === undefined) return undefined
    if (!stat.isFile()) throw this.#broken()
    if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
      const mode = (stat.mode & 0o777).toString(8)
      throw new ShelfError('refused', `${this.path} holds secrets, and others may read it (mode ${mode}): chmod 600 it`, {})
    }
    return readFile(this.path, 'utf8')
  }

  async #write(text: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    try {
      await writePrivately(this.path, text)
    } catch (error) {
      throw new ShelfError('unavailable', `${this.path} cannot be written: ${(error as Error).message}`, {}, { cause: error })
    }
  }

  #broken(): ShelfError<'parse-error'> {
    return new ShelfError('parse-error', `${this.path} is not what was written there: remove it, and log in again`, {})
  }
}
