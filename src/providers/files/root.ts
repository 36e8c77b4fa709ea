import * as fs from 'node:fs'
import { homedir } from 'node:os'
import { basename, resolve } from 'node:path'
import { ShelfError } from '../../errors.ts'
import { relativeWithin } from './containment.ts'
import type { PathStyle } from './containment.ts'
import { objectRules } from './object-rules.ts'
import type { ObjectRules } from './object-rules.ts'
import type { FilesOptions } from './options.ts'
import { isPlainName } from './path-uri.ts'

/** A folder that is served, checked and real-pathed once. */
export interface FilesRoot {
  /** Its name in URIs, not encoded. */
  readonly name: string
  /** The name of the Provider. */
  readonly provider: string
  /** Absolute, without symbolic links. */
  readonly real: string
  readonly rules: ObjectRules
  readonly style: PathStyle
  /** Whether `/proc/self/fd` tells the path of an open file. */
  readonly procfs: boolean
}

/** The absolute path of what lies at a path below a root. */
export function placeOf(root: FilesRoot, path: string): string {
  return path === '' ? root.real : `${root.real}/${path}`
}

const SYSTEM = ['/proc', '/sys', '/dev']

/** Checks the folder of `options` and gives it a name. Throws `invalid-option` for anything unfit. */
export function openRoot(options: FilesOptions): FilesRoot {
  const style: PathStyle = process.platform === 'win32' ? 'windows' : 'posix'
  const asked = resolve(options.root)
  const real = realRoot(asked)
  if (options.anyRoot !== true) refuseSystem(real, style)
  const procfs = process.platform === 'linux'
  if (procfs && !fs.existsSync('/proc/self/fd')) {
    throw unfit('root', `Cannot serve ${asked} safely: /proc is not mounted; mount it and start again`)
  }
  const name = options.name === undefined ? freeName(basename(asked) || 'root') : givenName(options.name)
  const rules = objectRules(options, fs.statSync(real, { bigint: true }).dev)
  return { name, provider: providerName(name), real, rules, style, procfs }
}

function realRoot(asked: string): string {
  let real
  try {
    real = fs.realpathSync.native(asked)
  } catch (cause) {
    throw unfit('root', `Wanted a folder to serve, but ${asked} cannot be reached; check the path and its permissions`, cause)
  }
  if (!fs.statSync(real).isDirectory()) {
    throw unfit('root', `Wanted a folder to serve, but ${asked} is not one; name the folder that holds it`)
  }
  return real
}

function refuseSystem(real: string, style: PathStyle): void {
  const bare = /^(?:[A-Za-z]:)?[\\/]*$/.test(real)
  if (bare || real === realHome() || SYSTEM.some((path) => relativeWithin(path, real, style) !== undefined)) {
    throw unfit('root', `Will not serve ${real}, which holds far more than documents; name a folder in it`)
  }
}

function realHome(): string | undefined {
  try {
    return fs.realpathSync.native(homedir())
  } catch {
    return undefined
  }
}

function givenName(name: string): string {
  if (!isPlainName(name))
    throw unfit('name', `Wanted a name for a root, got ${JSON.stringify(name)}; use one without / \\ and control characters`)
  if (isTaken(name)) {
    throw unfit('name', `The name ${JSON.stringify(name)} would give URIs that this machine reads as /${name}; choose another`)
  }
  return name
}

function freeName(name: string): string {
  const plain = isPlainName(name) ? name : 'root'
  let free = plain
  for (let i = 2; isTaken(free); i++) free = `${plain}-${i}`
  return free
}

/** A host may open `file:///name` itself, so no root goes by a name that means something there. */
function isTaken(name: string): boolean {
  return fs.lstatSync(`/${name}`, { throwIfNoEntry: false }) !== undefined
}

function providerName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '-')
    .replace(/^[^a-z]+/, '')
  return plain === '' ? 'files' : plain
}

function unfit(option: string, message: string, cause?: unknown): ShelfError {
  return new ShelfError('invalid-option', message, { option }, cause === undefined ? {} : { cause })
}
