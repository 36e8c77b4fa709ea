/** The protocol versions that the official suite is run for, against the server. */
export const versions = ['2026-07-28', '2025-11-25', '2025-06-18']

/** The revisions whose frozen requirements an official server with a Library in it is held to. */
export const requirements = ['2026-07-28']

/** The same for the client; what belongs to an extension stands by itself. */
export const clientVersions = [...versions, '2025-03-26', 'extensions']

/**
 * Reads the list of expected failures: `- scenario # reason` under `all:` or under one version. Each needs its reason.
 * @param {string} text
 * @param {{ file?: string, tried?: readonly string[] }} [options] its name, for errors, and what is tried
 * @returns {Map<string, Set<string>>} version or `all` -> scenarios
 */
export function parseBaseline(text, { file = 'expected-failures.yml', tried = versions } = {}) {
  /** @type {Map<string, Set<string>>} */
  const lists = new Map(['all', ...tried].map((name) => [name, new Set()]))
  let list = lists.get('all')
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(#.*)?$/.test(line)) continue
    const section = /^['"]?([\w-]+)['"]?:\s*(#.*)?$/.exec(line)?.[1]
    const entry = /^\s*- ([\w/:.-]+)\s+# \S/.exec(line)?.[1]
    if (section && lists.has(section)) list = lists.get(section)
    else if (entry) list?.add(entry)
    else
      throw new Error(`${file}, line ${index + 1}: want "all:", a version tried here, or "- scenario # reason", found: ${line}`)
  }
  return lists
}
