import { createIgnoreRules } from './ignore-rules.ts'
import type { FolderRules } from './ignore-rules.ts'
import type { FilesOptions } from './options.ts'
import { joinPath, nameOf, parentOf } from './paths.ts'
import type { FilesRoot } from './root.ts'
import { isSecret, isSecretEntry } from './secrets.ts'

/** Which paths below a root are served at all; the same answer for listing and reading. */
export interface Exposure {
  /** By name alone: neither hidden nor secret. */
  shows(path: string, directory: boolean): boolean
  /** By name and by the ignore files of all folders above it. */
  admits(path: string, directory: boolean): boolean | Promise<boolean>
  /** `admits` for the entries of one folder. */
  inFolder(folder: string): Promise<(name: string, directory: boolean) => boolean>
  /** What is the same object as long as the rules for the entries of a folder are the same. */
  rulesOf(folder: string): object | Promise<object>
  /** An ignore file changed: all of them are looked at again when they are next asked. */
  refresh(): void
}

const ALL: FolderRules = { excluded: false, excludes: () => false }

export function createExposure(root: FilesRoot, options: FilesOptions): Exposure {
  const rules = options.ignore === false ? undefined : createIgnoreRules(root)
  const hidden = options.hidden === true
  const allowed = new Set<string>()
  /** The folders that lead to what is allowed. */
  const ways = new Set<string>()
  // As written, case included: what is forbidden is so in any spelling, what is let through is one file.
  for (const given of options.allowSecrets ?? []) {
    const path = given.replaceAll('\\', '/').replace(/^(?:\.?\/)+|\/+$/g, '')
    allowed.add(path)
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) ways.add(path.slice(0, end))
  }

  const isAllowed = (path: string, directory: boolean) => (directory ? ways : allowed).has(path)
  const isPlain = (path: string, directory: boolean) =>
    path === '' || ((hidden || !(path.startsWith('.') || path.includes('/.'))) && !isSecret(path, directory))
  const shows = (path: string, directory: boolean) => isPlain(path, directory) || isAllowed(path, directory)
  const decide = (folder: FolderRules, path: string, name: string, directory: boolean) =>
    !(folder.excluded || folder.excludes(name, directory)) || isAllowed(path, directory)

  return {
    shows,
    rulesOf: (folder) => rules?.of(folder) ?? ALL,
    refresh: () => rules?.refresh(),
    admits(path, directory) {
      if (!shows(path, directory)) return false
      if (rules === undefined || path === '') return true
      const name = nameOf(path)
      const folder = rules.of(parentOf(path))
      if (folder instanceof Promise) return folder.then((loaded) => decide(loaded, path, name, directory))
      return decide(folder, path, name, directory)
    },
    async inFolder(folder) {
      const own = rules === undefined ? ALL : await rules.of(folder)
      const parent = nameOf(folder)
      // The folder's own part of each path is asked about once; what is in an unfit one must be allowed by name.
      const plain = isPlain(folder, true)
      return (name, directory) => {
        const fit = plain && (hidden || !name.startsWith('.')) && !isSecretEntry(parent, name, directory)
        return (fit && !own.excluded && !own.excludes(name, directory)) || isAllowed(joinPath(folder, name), directory)
      }
    },
  }
}
