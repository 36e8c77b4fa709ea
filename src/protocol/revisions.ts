/** What differs between the five revisions of the protocol, as data. */
export interface RevisionFacts {
  readonly era: Era
  /** `title` on resources, templates and implementations. */
  readonly title: boolean
  /** `_meta` on resources, templates and contents. */
  readonly itemMeta: boolean
  /** `annotations.lastModified`. */
  readonly lastModified: boolean
  readonly icons: boolean
  /** `description` and `websiteUrl` on implementations. */
  readonly implementationText: boolean
  /** `context.arguments` on `completion/complete`. */
  readonly completionContext: boolean
  /** `capabilities.completions`. */
  readonly completionsCapability: boolean
  /** `message` on progress notifications. */
  readonly progressMessage: boolean
  /** `annotations` on tools. */
  readonly toolAnnotations: boolean
  /** `resource_link` among the content of a tool's result. */
  readonly resourceLinks: boolean
  /** Streamable HTTP; 2024-11-05 is served on stdio only. */
  readonly http: boolean
  /** Arrays of messages. */
  readonly batches: boolean
}

/** Legacy revisions open with `initialize`; modern ones carry everything on each request. */
export type Era = 'legacy' | 'modern'

export const REVISIONS = {
  '2024-11-05': {
    era: 'legacy',
    title: false,
    itemMeta: false,
    lastModified: false,
    icons: false,
    implementationText: false,
    completionContext: false,
    completionsCapability: false,
    progressMessage: false,
    toolAnnotations: false,
    resourceLinks: false,
    http: false,
    batches: false,
  },
  '2025-03-26': {
    era: 'legacy',
    title: false,
    itemMeta: false,
    lastModified: false,
    icons: false,
    implementationText: false,
    completionContext: false,
    completionsCapability: true,
    progressMessage: true,
    toolAnnotations: true,
    resourceLinks: false,
    http: true,
    batches: true,
  },
  '2025-06-18': {
    era: 'legacy',
    title: true,
    itemMeta: true,
    lastModified: true,
    icons: false,
    implementationText: false,
    completionContext: true,
    completionsCapability: true,
    progressMessage: true,
    toolAnnotations: true,
    resourceLinks: true,
    http: true,
    batches: false,
  },
  '2025-11-25': {
    era: 'legacy',
    title: true,
    itemMeta: true,
    lastModified: true,
    icons: true,
    implementationText: true,
    completionContext: true,
    completionsCapability: true,
    progressMessage: true,
    toolAnnotations: true,
    resourceLinks: true,
    http: true,
    batches: false,
  },
  '2026-07-28': {
    era: 'modern',
    title: true,
    itemMeta: true,
    lastModified: true,
    icons: true,
    implementationText: true,
    completionContext: true,
    completionsCapability: true,
    progressMessage: true,
    toolAnnotations: true,
    resourceLinks: true,
    http: true,
    batches: false,
  },
} as const satisfies Record<string, RevisionFacts>

export type Revision = keyof typeof REVISIONS

/** The newest legacy revision: the answer to an `initialize` that names an unknown one. */
export const LATEST_LEGACY = '2025-11-25' satisfies Revision

/** The first revision without a handshake. */
export const FIRST_MODERN = '2026-07-28' satisfies Revision

/** What `server/discover` and `UnsupportedProtocolVersion` errors name. */
export const MODERN_REVISIONS: readonly Revision[] = ['2026-07-28']

/** True for a revision this library speaks. */
export function isRevision(text: unknown): text is Revision {
  return typeof text === 'string' && Object.hasOwn(REVISIONS, text)
}

/** True for a revision that opens with `initialize`. */
export function isLegacy(text: unknown): text is Revision {
  return isRevision(text) && REVISIONS[text].era === 'legacy'
}
