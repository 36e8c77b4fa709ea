import type { AccessDecision, Audit, Library, Policy } from '../../library/index.ts'
import { createLibrary } from '../../library/index.ts'
import type { Sealer } from '../../protocol/index.ts'
import type { AuditFile } from '../../runtime/audit-file.ts'
import { createSealer, processDefaults } from '../../runtime/index.ts'
import type { Admission } from '../../transports/http/index.ts'
import { say, UsageError } from '../output.ts'
import { isUpstream } from '../sources.ts'
import { VERSION } from '../version.ts'
import type { OpenMount } from './mounts.ts'
import { openMounts } from './mounts.ts'
import type { AuditSettings, Callers, PolicyContext } from './policies.ts'
import { POLICIES, settingsOf } from './policies.ts'
import type { SettingPath, Settings, UnfitSetting } from './settings.ts'
import { callersOf, UnfitSettings } from './settings.ts'

/** Settings that are opened and checked, and not used yet. */
export interface Prepared {
  readonly admission: Admission
  /** Uses them, at once and whole. Tells what is different, in a few words each. */
  commit(): readonly string[]
  /** Lets go of what was opened for them. */
  abandon(): Promise<void>
}

/** A policy, and the settings it was made with as text. */
interface OpenPolicy {
  readonly key: string
  readonly policy: Policy
}

/** A file of the audit, and the settings it was opened with as text. */
interface OpenLog {
  readonly key: string
  readonly file: AuditFile
}

/** A file of which something is secret, and where it is set. */
interface UnservedFile {
  readonly what: string
  readonly file: string
  readonly path: SettingPath
}

/** What seals, and the keys it has as text. */
interface OpenSealer {
  readonly key: string
  readonly sealer: Sealer
}

/** What is served, which can change while it is. A transport owns the Library; whoever opens this closes the log after it. */
export class Served {
  readonly library: Library
  /** Seals with the keys of the moment. */
  readonly sealer: Sealer
  #mounts: readonly OpenMount[] = []
  #policies: ReadonlyMap<string, OpenPolicy> = new Map()
  #admission: { readonly key: string; readonly admission: Admission } = { key: '', admission: {} }
  #callers: Callers | undefined
  #log: OpenLog | undefined
  #sealer: OpenSealer | undefined
  readonly #context: PolicyContext = {
    // Requests that are under way write on where the log is then.
    sink: { write: (line) => this.#log?.file.write(line) },
    onDecision: (decision) => this.#decided(decision),
  }

  private constructor(name: string, title: string) {
    this.library = createLibrary({ name, title, version: VERSION })
    this.sealer = {
      seal: (plain, bound) => this.#sealer!.sealer.seal(plain, bound),
      open: (sealed, bound) => this.#sealer!.sealer.open(sealed, bound),
    }
  }

  /** @throws UnfitSettings saying what cannot be used */
  static async open(settings: Settings): Promise<Served> {
    return Served.#open(settings, false)
  }

  /**
   * What would be served, of which nothing is started and nothing is written.
   *
   * @throws UnfitSettings saying what cannot be used
   */
  static async try(settings: Settings): Promise<Served> {
    return Served.#open(settings, true)
  }

  static async #open(settings: Settings, dry: boolean): Promise<Served> {
    const name = machineName(settings.name)
    if (name === '') {
      const error = new UsageError(`--name needs at least one letter, got ${JSON.stringify(settings.name)}`)
      throw new UnfitSettings([{ path: ['name'], error }])
    }
    const served = new Served(name, settings.name)
    const prepared = await served.prepare(settings, dry)
    prepared.commit()
    return served
  }

  get mounts(): readonly OpenMount[] {
    return this.#mounts
  }

  /** Who may come over HTTP. */
  get admission(): Admission {
    return this.#admission.admission
  }

  /** Writes what the log still holds. */
  async closeLog(): Promise<void> {
    await this.#log?.file.close()
  }

  /**
   * Opens and checks everything that these settings have and those of before had not.
   *
   * @throws UnfitSettings saying all that cannot be used; nothing is different then
   */
  async prepare(settings: Settings, dry = false): Promise<Prepared> {
    const unfit: UnfitSetting[] = []
    const mounts = await openMounts(settings, this.#mounts, this.#context, unfit)
    const callers = this.#callersFor(settings)
    const policies = this.#policiesFor(settings, callers, unfit)
    const admission = await this.#admissionFor(settings, unfit)
    const sealer = this.#sealerFor(settings, unfit)
    const log = await this.#logFor(settings, dry, unfit)
    const letGo = async (): Promise<void> => {
      if (log !== this.#log) await log?.file.close()
    }
    if (unfit.length > 0) {
      await letGo()
      throw new UnfitSettings(unfit)
    }
    return {
      admission: admission.admission,
      abandon: letGo,
      commit: () => {
        this.#useLog(log)
        this.#callers = callers
        return [
          ...this.#usePolicies(policies, settings, callers),
          ...this.#useMounts(mounts),
          ...this.#useAdmission(admission),
          ...this.#useSealer(sealer),
        ]
      },
    }
  }

  /** Whoever comes over HTTP does so until the next start, whatever the settings say by then. */
  #callersFor(settings: Settings): Callers {
    const before = this.#callers
    return settings.http === undefined && before?.overHttp === true ? before : callersOf(settings)
  }

  #policiesFor(settings: Settings, callers: Callers, unfit: UnfitSetting[]): ReadonlyMap<string, OpenPolicy> {
    const policies = new Map<string, OpenPolicy>()
    for (const row of POLICIES) {
      const own = settingsOf(row, settings.policies, callers)
      if (own === undefined) continue
      const key = JSON.stringify(own)
      const kept = this.#policies.get(row.name)
      try {
        policies.set(row.name, kept?.key === key ? kept : { key, policy: row.open(own, this.#context) })
      } catch (error) {
        unfit.push({ path: [row.name], error })
      }
    }
    return policies
  }

  async #admissionFor({ http, identity }: Settings, unfit: UnfitSetting[]): Promise<{ key: string; admission: Admission }> {
    const key = JSON.stringify([identity, http?.allowedHosts, http?.allowedOrigins])
    if (http === undefined || key === this.#admission.key) return this.#admission
    const { allowedHosts, allowedOrigins } = http
    try {
      const { identified } = await import('../secured.ts')
      return { key, admission: { ...identified(identity), allowedHosts, allowedOrigins } }
    } catch (error) {
      unfit.push({ path: ['identity'], error })
      return this.#admission
    }
  }

  #sealerFor({ keys }: Settings, unfit: UnfitSetting[]): OpenSealer | undefined {
    const key = JSON.stringify(keys)
    if (this.#sealer?.key === key) return this.#sealer
    try {
      const [first, ...others] = keys
      return { key, sealer: first === undefined ? processDefaults().sealer : createSealer(first, others) }
    } catch (error) {
      unfit.push({ path: ['keys'], error })
      return undefined
    }
  }

  async #logFor(
    { policies, mounts, secretFiles, http }: Settings,
    dry: boolean,
    unfit: UnfitSetting[],
  ): Promise<OpenLog | undefined> {
    const own = policies['audit']
    const secrets: readonly UnservedFile[] = [
      ...secretFiles.map((file) => ({ what: 'The secret', file, path: ['keys'] })),
      ...(http?.tls === undefined ? [] : [{ what: 'The key', file: http.tls.key, path: ['http', 'tls'] }]),
    ]
    if (own === undefined && secrets.length === 0) return undefined
    const { refuseServed } = await import('./refuse-served.ts')
    const folders = mounts.filter(({ source }) => !isUpstream(source)).map(({ source }) => source.path)
    for (const { what, file, path } of secrets) {
      try {
        refuseServed(what, file, folders)
      } catch (error) {
        unfit.push({ path, error })
      }
    }
    if (own === undefined || own === false) return undefined
    const { file, queryValues: _policy, ...limits } = own as AuditSettings
    const key = JSON.stringify([file, limits])
    try {
      refuseServed('The audit', file, folders)
      if (this.#log?.key === key || dry) return this.#log
      const { openAuditFile } = await import('../../runtime/audit-file.ts')
      return { key, file: await openAuditFile(file, limits) }
    } catch (error) {
      unfit.push({ path: ['audit'], error })
      return this.#log
    }
  }

  #useLog(log: OpenLog | undefined): void {
    const before = this.#log
    this.#log = log
    if (log !== before) before?.file.close().catch(toldOf)
  }

  #usePolicies(policies: ReadonlyMap<string, OpenPolicy>, settings: Settings, callers: Callers): readonly string[] {
    const before = this.#policies
    const different = POLICIES.filter(({ name }) => before.get(name)?.key !== policies.get(name)?.key)
    const inUse = new Map(policies)
    for (const row of different) {
      const [old, next] = [before.get(row.name), policies.get(row.name)]
      if (row.replace === undefined || old === undefined || next === undefined) continue
      row.replace(old.policy, settingsOf(row, settings.policies, callers))
      inUse.set(row.name, { key: next.key, policy: old.policy })
    }
    this.#policies = inUse
    this.library.replacePolicies([...inUse.values()].map(({ policy }) => policy))
    const names = different.map(({ name }) => name)
    if (names.includes('access')) this.library.listChanged()
    return names
  }

  #useMounts(mounts: readonly OpenMount[]): readonly string[] {
    const before = this.#mounts
    this.#mounts = mounts
    const gone = before.filter((mount) => !mounts.includes(mount))
    const come = mounts.filter((mount) => !before.includes(mount))
    // In one turn, so that nobody finds a mount missing that only changed.
    const closing = gone.map(({ provider }) => this.library.unmount(provider.name))
    for (const { provider } of come) this.library.mount(provider)
    for (const one of closing) one.catch(toldOf)
    return [
      ...gone.map(({ text }) => `- ${text}`),
      ...come.flatMap(({ served }) => served.map(({ text, as }) => `+ ${text} as ${as}`)),
    ]
  }

  #useAdmission(next: { readonly key: string; readonly admission: Admission }): readonly string[] {
    const same = next.key === this.#admission.key
    this.#admission = next
    return same ? [] : ['who may come']
  }

  #useSealer(sealer: OpenSealer | undefined): readonly string[] {
    const same = sealer?.key === this.#sealer?.key
    this.#sealer = sealer
    return same ? [] : ['keys']
  }

  /** What rules deny looks absent, so the log says why. Items of lists are not written down one by one. */
  #decided({ principal, operation, uri, allowed, rule }: AccessDecision): void {
    if (allowed || (operation !== 'read' && operation !== 'stat' && operation !== 'subscribe')) return
    const log = this.#policies.get('audit')?.policy as Audit | undefined
    log?.decision({ principal, operation, uri, allowed, reason: rule?.name ?? (rule === undefined ? 'no rule' : 'a rule') })
  }
}

function toldOf(error: unknown): void {
  say(error instanceof Error ? error.message : String(error))
}

/** A name as the protocol's identifiers have it: what does not fit becomes `-`. */
function machineName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^[^a-z]+/, '')
}
