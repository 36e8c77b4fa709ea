import type { Resource, ResourceTemplate } from '../protocol/index.ts'
import type { Template } from '../uri/index.ts'
import type { TemplateHandler, TemplateOptions } from './options.ts'
import { lastSegment } from './resource-face.ts'

/** Variables of a template with their values, decoded. */
export type Values = Readonly<Record<string, string | readonly string[] | undefined>>

/** A template of the Library's own, with its handler. */
export interface OwnTemplate {
  readonly text: string
  readonly parsed: Template
  readonly options: TemplateOptions
  readonly handler: TemplateHandler<string>
  seq: number
}

/** The template as it is listed. */
export function faceOf(own: OwnTemplate): ResourceTemplate {
  const { hint, list, complete, unknownParameters, unscreened, ...face } = own.options
  void [hint, list, complete, unknownParameters, unscreened]
  return { uriTemplate: own.text, name: own.text, ...face }
}

/** A resource of the template as it is listed, with the template's metadata. */
export function resourceOf(own: OwnTemplate, uri: string): Resource {
  const { name, uriTemplate, icons, annotations, _meta, ...face } = faceOf(own)
  void [name, uriTemplate]
  return {
    uri,
    name: lastSegment(uri),
    ...face,
    ...(icons && { icons }),
    ...(annotations && { annotations }),
    ...(_meta && { _meta }),
  }
}
