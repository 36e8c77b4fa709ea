import mime from 'mime/lite'
import { TYPE_BY_EXTENSION, TYPE_BY_NAME } from './source-types.ts'

/**
 * The MIME type that a file's name suggests, or undefined when the name says nothing.
 * Whole names come first (`Makefile`, `LICENSE`), then the extension in our own table, where `.ts` is
 * TypeScript and not video, then the registered table. Case does not count.
 */
export function typeByName(name: string): string | undefined {
  const lower = name.toLowerCase()
  const whole = TYPE_BY_NAME.get(lower)
  if (whole !== undefined) return whole
  const dot = lower.lastIndexOf('.')
  if (dot === -1) return undefined
  const extension = lower.slice(dot + 1)
  return TYPE_BY_EXTENSION.get(extension) ?? (extension === '' ? undefined : (mime.getType(extension) ?? undefined))
}
