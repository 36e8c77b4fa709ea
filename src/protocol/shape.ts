import type { Annotations, Implementation, Resource, ResourceTemplate } from './resource.ts'
import type { Revision, RevisionFacts } from './revisions.ts'
import { REVISIONS } from './revisions.ts'

type Described = Resource | ResourceTemplate

/**
 * Items as a revision knows them: fields that are newer are left out. The newest revisions need
 * nothing done, and then the items are returned as they are.
 */
export function shapeItems<T extends Described>(items: readonly T[], revision: Revision): readonly T[] {
  const facts: RevisionFacts = REVISIONS[revision]
  if (facts.icons) return items
  return items.map((item) => shapeItem(item, facts))
}

function shapeItem<T extends Described>(item: T, facts: RevisionFacts): T {
  const { title, icons, _meta, annotations, ...rest } = item
  void icons
  return {
    ...rest,
    ...(facts.title && title !== undefined ? { title } : {}),
    ...(facts.itemMeta && _meta !== undefined ? { _meta } : {}),
    ...shapeAnnotations(annotations, facts),
  } as T
}

function shapeAnnotations(annotations: Annotations | undefined, facts: RevisionFacts): { annotations?: Annotations } {
  if (annotations === undefined) return {}
  if (facts.lastModified) return { annotations }
  const { lastModified, ...rest } = annotations
  void lastModified
  return Object.keys(rest).length > 0 ? { annotations: rest } : {}
}

/** What this server says of itself, as a revision knows it. */
export function shapeImplementation(own: Implementation, revision: Revision): Implementation {
  const facts: RevisionFacts = REVISIONS[revision]
  return {
    name: own.name,
    version: own.version,
    ...(facts.title && own.title !== undefined ? { title: own.title } : {}),
    ...(facts.implementationText && own.description !== undefined ? { description: own.description } : {}),
    ...(facts.implementationText && own.websiteUrl !== undefined ? { websiteUrl: own.websiteUrl } : {}),
    ...(facts.icons && own.icons !== undefined ? { icons: own.icons } : {}),
  }
}
