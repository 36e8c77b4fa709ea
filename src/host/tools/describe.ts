import type { Resource, ResourceTemplate } from '../../protocol/index.ts'
import { DIRECTORY_TYPE } from '../../protocol/index.ts'
import { KINDS, kindOf } from '../kinds/index.ts'
import { oneLine, wholeUri } from '../text/index.ts'
import type { ToolContent } from './tool.ts'

/** How much of what a server says of one thing a model is shown, in UTF-16 units. */
const LONGEST = { name: 120, description: 300, mimeType: 100 }

/** A resource in one or two lines: its URI whole, since that is what is called with, then what is said of it. */
export function describeResource(resource: Resource, found = ''): string {
  const { uri, name, title, description, size } = resource
  const facts = [
    oneLine(title ?? name, LONGEST.name),
    ...typeOf(resource),
    ...(size === undefined ? [] : [`${size} bytes`]),
    ...(found === '' ? [] : [found]),
  ]
  return `${wholeUri(uri)}\n  ${facts.join(', ')}${saidOf(description)}`
}

/** What a model makes something of: a kind rather than a type; nothing where neither is told. */
function typeOf(resource: Resource): readonly string[] {
  const { mimeType } = resource
  if (mimeType === DIRECTORY_TYPE) return ['Directory']
  const kind = kindOf(resource)
  if (kind !== 'other') return [KINDS[kind].title]
  return mimeType === undefined ? [] : [oneLine(mimeType, LONGEST.mimeType)]
}

/** A template in lines, as its URI with variables. */
export function describeTemplate({ uriTemplate, name, title, description }: ResourceTemplate, hints = ''): string {
  return `${wholeUri(uriTemplate)}\n  ${oneLine(title ?? name, LONGEST.name)}${hints}${saidOf(description)}`
}

function saidOf(description: string | undefined): string {
  return description === undefined || description === '' ? '' : `\n  ${oneLine(description, LONGEST.description)}`
}

/** The same for hosts that make something of it. */
export function linkTo(resource: Resource): ToolContent {
  const { uri, name, title, description, mimeType, size } = resource
  return {
    type: 'resource_link',
    uri: wholeUri(uri),
    name: oneLine(name, LONGEST.name),
    ...(title !== undefined && { title: oneLine(title, LONGEST.name) }),
    ...(description !== undefined && { description: oneLine(description, LONGEST.description) }),
    ...(mimeType !== undefined && { mimeType: oneLine(mimeType, LONGEST.mimeType) }),
    ...(size !== undefined && { size }),
  }
}
