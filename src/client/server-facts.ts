import type { Era, Implementation, Revision, UncheckedObject } from '../protocol/index.ts'
import { EXTENSION_RESOURCES, EXTENSION_SKILLS, isObject } from '../protocol/index.ts'

/** What a server said of itself when the connection was made. */
export interface ServerFacts {
  readonly era: Era
  /** The revision that is spoken with it. */
  readonly revision: Revision
  /** Its name and version, if it told them: shown, never trusted. */
  readonly implementation: Implementation | undefined
  readonly instructions: string | undefined
  readonly capabilities: UncheckedObject
  /** Whether it has resources at all. */
  readonly resources: boolean
  /** Whether it tells of changes of single resources. */
  readonly subscribe: boolean
  /** Whether it tells of changes of the list. */
  readonly listChanged: boolean
  readonly completions: boolean
  /** Whether it answers `resources/directory/read` (skills extension). */
  readonly directories: boolean
  /** What of `dev.shelfmark/resources` it declares: byte ranges, versions, stat, and the most bytes of one read. */
  readonly extension: { readonly ranges: boolean; readonly versions: boolean; readonly stat: boolean; readonly maxRead?: number }
}

/** Facts out of what a server declared, whatever the shape of it. */
export function serverFacts(
  era: Era,
  revision: Revision,
  declared: { readonly capabilities: unknown; readonly implementation: unknown; readonly instructions: unknown },
): ServerFacts {
  const capabilities = isObject(declared.capabilities) ? declared.capabilities : {}
  const resources = isObject(capabilities['resources']) ? capabilities['resources'] : {}
  const extensions = isObject(capabilities['extensions']) ? capabilities['extensions'] : {}
  const skills = extensions[EXTENSION_SKILLS]
  const own = isObject(extensions[EXTENSION_RESOURCES]) ? extensions[EXTENSION_RESOURCES] : {}
  const maxRead = own['maxRead']
  return {
    era,
    revision,
    implementation: implementationOf(declared.implementation),
    instructions: typeof declared.instructions === 'string' ? declared.instructions : undefined,
    capabilities,
    resources: isObject(capabilities['resources']),
    subscribe: resources['subscribe'] === true,
    listChanged: resources['listChanged'] === true,
    // Revisions before 2025-03-26 have completion without a capability for it.
    completions: isObject(capabilities['completions']) || revision === '2024-11-05',
    directories: isObject(skills) && skills['directoryRead'] === true,
    extension: {
      ranges: own['ranges'] === true,
      versions: own['versions'] === true,
      stat: own['stat'] === true,
      ...(typeof maxRead === 'number' && Number.isSafeInteger(maxRead) && maxRead > 0 && { maxRead }),
    },
  }
}

function implementationOf(value: unknown): Implementation | undefined {
  if (!isObject(value) || typeof value['name'] !== 'string') return undefined
  const { name, version, title, description, websiteUrl } = value
  return {
    name,
    version: typeof version === 'string' ? version : '',
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(typeof websiteUrl === 'string' && { websiteUrl }),
  }
}
