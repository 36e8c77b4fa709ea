import type { Annotations, Resource, ResourceTemplate } from '../../protocol/index.ts'
import { isObject, META_SERVER } from '../../protocol/index.ts'

/** How much is held of what a server says of one thing, in UTF-16 units. */
const LONGEST = { uri: 8_192, name: 512, title: 512, description: 2_048, mimeType: 256, lastModified: 64, server: 64 }

/**
 * What an index keeps of a resource: long texts cut, icons and foreign metadata left out, and what is not as the
 * protocol has it; undefined for what has no usable URI. The copy shares no memory with what was cut.
 */
export function heldResource(resource: Resource): Resource | undefined {
  const uri: unknown = isObject(resource) ? resource.uri : undefined
  if (typeof uri !== 'string' || uri === '' || uri.length > LONGEST.uri) return undefined
  const { size } = resource
  return { uri, ...heldFace(resource), ...(isCount(size) && { size }) }
}

/** The same of a template. */
export function heldTemplate(template: ResourceTemplate): ResourceTemplate | undefined {
  const text: unknown = isObject(template) ? template.uriTemplate : undefined
  if (typeof text !== 'string' || text === '' || text.length > LONGEST.uri) return undefined
  return { uriTemplate: text, ...heldFace(template) }
}

/** The name of the server that a thing is of, where several are shown as one. */
export function serverOf({ _meta }: Pick<Resource, '_meta'>): string | undefined {
  const server = isObject(_meta) ? _meta[META_SERVER] : undefined
  return typeof server === 'string' && server.length <= LONGEST.server ? server : undefined
}

/** Whom it is from that a resource is read: its server, or where none is named whatever its scheme stands for. */
export function partyOf(resource: Resource): string {
  return serverOf(resource) ?? resource.uri.slice(0, resource.uri.indexOf(':') + 1)
}

type Face = Pick<Resource, 'name' | 'title' | 'description' | 'mimeType' | 'annotations' | '_meta'>

function heldFace(thing: Face): Face {
  const title = cut(thing.title, LONGEST.title)
  const description = cut(thing.description, LONGEST.description)
  const mimeType = cut(thing.mimeType, LONGEST.mimeType)
  const annotations = heldAnnotations(thing.annotations)
  const server = serverOf(thing)
  return {
    name: cut(thing.name, LONGEST.name) ?? '',
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(annotations !== undefined && { annotations }),
    ...(server !== undefined && { _meta: { [META_SERVER]: server } }),
  }
}

function heldAnnotations(annotations: unknown): Annotations | undefined {
  if (!isObject(annotations)) return undefined
  const { audience, priority } = annotations
  const lastModified = cut(annotations['lastModified'], LONGEST.lastModified)
  const listeners = (['user', 'assistant'] as const).filter((one) => Array.isArray(audience) && audience.includes(one))
  return {
    ...(listeners.length > 0 && { audience: listeners }),
    ...(typeof priority === 'number' && priority >= 0 && priority <= 1 && { priority }),
    ...(lastModified !== undefined && { lastModified }),
  }
}

function isCount(size: unknown): size is number {
  return typeof size === 'number' && Number.isSafeInteger(size) && size >= 0
}

function cut(text: unknown, most: number): string | undefined {
  if (typeof text !== 'string') return undefined
  return text.length <= most ? text : ownCopy(text.slice(0, most))
}

/** A part of a text that does not keep the whole of it in memory: engines make parts by reference. */
export function ownCopy(part: string): string {
  return ` ${part}`.slice(1)
}
