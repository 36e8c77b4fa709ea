import type { Resource, ResourceTemplate } from '../protocol/index.ts'
import type { PrintOptions } from './standard-output.ts'
import { isShown, lineOf } from './standard-output.ts'

const GREY = '\u001B[90m'
const PLAIN = '\u001B[39m'

/** A resource on one line: for a pipe its URI alone, for a person with its type, size and what it is called. */
export function resourceLine(item: Resource | ResourceTemplate, options: PrintOptions): string {
  const id = 'uri' in item ? item.uri : item.uriTemplate
  if (!process.stdout.isTTY) return id
  const size = 'uri' in item && item.size !== undefined ? sizeText(item.size) : undefined
  const title = item.title ?? (id.endsWith(item.name) ? undefined : item.name)
  const more = [item.mimeType, size, title].filter((one) => one !== undefined)
  return more.length === 0 ? lineOf(id, options) : `${lineOf(id, options)}  ${grey(lineOf(more.join(', '), options))}`
}

/** Less important, on a terminal that has colours. */
export function grey(text: string): string {
  return process.env['NO_COLOR'] === undefined && isShown({}) ? `${GREY}${text}${PLAIN}` : text
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** A number of bytes for a person. */
export function sizeText(bytes: number): string {
  const unit = bytes < 1_024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  return unit === 0 ? `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}` : `${(bytes / 1_024 ** unit).toFixed(1)} ${UNITS[unit]}`
}
