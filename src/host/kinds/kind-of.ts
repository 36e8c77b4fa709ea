import { KINDS } from './kind.ts'
import type { Kind } from './kind.ts'
import { kindOfBeginning } from './kind-of-beginning.ts'
import { kindOfName } from './kind-of-name.ts'

/** What is known of a resource before it is read. */
export interface Described {
  readonly uri: string
  readonly name?: string
  readonly mimeType?: string
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const ARCHIVES = words(
  'application/zip application/gzip application/x-gzip application/x-tar application/x-7z-compressed application/x-bzip2 application/zstd application/vnd.rar application/x-rar-compressed application/x-xz application/java-archive',
)
const TABLES = words('text/csv text/tab-separated-values application/csv')
const CONFIGURATION = words(
  'application/yaml application/x-yaml text/yaml text/x-yaml application/toml text/x-toml text/x-properties text/x-ini',
)
const CODE = words(
  'text/javascript application/javascript application/ecmascript application/typescript text/typescript text/css application/sql application/x-sh application/x-httpd-php application/graphql application/wgsl',
)
const LOGS = words('text/x-log text/log application/x-ndjson-log')
/** Types that servers give to what they know nothing of. */
const UNTOLD = words('text/plain application/octet-stream application/unknown binary/octet-stream')

/**
 * The kind of a resource: by its type where that says something, else by its name, else by how its contents begin.
 *
 * @param beginning the first bytes or characters, where they are at hand; 512 are looked at
 */
export function kindOf(resource: Described, beginning?: Uint8Array | string): Kind {
  const type = essenceOf(resource.mimeType)
  const told = type === undefined || UNTOLD.has(type) ? undefined : kindOfType(type)
  if (told !== undefined) return told
  const named = kindOfName(lastSegment(resource.uri)) ?? kindOfName(resource.name ?? '')
  // What is called text and sent as bytes may be neither.
  const isSure = named !== undefined && !(KINDS[named].isText && type === 'application/octet-stream')
  if (isSure) return named
  const seen = beginning === undefined ? undefined : kindOfBeginning(beginning)
  if (seen !== undefined) return seen === 'text' ? (named ?? seen) : seen
  return named ?? (type === 'text/plain' || type?.startsWith('text/') === true ? 'text' : 'other')
}

/** A media type without parameters, in lower case. */
function essenceOf(type: string | undefined): string | undefined {
  const essence = type?.split(';', 1)[0]?.trim().toLowerCase()
  return essence === '' ? undefined : essence
}

function kindOfType(type: string): Kind | undefined {
  if (type === 'text/markdown' || type === 'text/x-markdown') return 'markdown'
  if (type === 'application/pdf' || type === 'application/x-pdf') return 'pdf'
  if (ARCHIVES.has(type)) return 'archive'
  if (TABLES.has(type)) return 'table'
  if (CONFIGURATION.has(type)) return 'configuration'
  if (CODE.has(type)) return 'code'
  if (LOGS.has(type)) return 'log'
  if (/[/+](?:x-)?(?:ndjson|json|json5|jsonc|json-seq|geo\+json)$/.test(type)) return 'json'
  // Pictures that are text are read as such.
  if (type === 'text/html' || /[/+]xml$/.test(type)) return 'xml'
  const [family] = type.split('/', 1)
  if (family === 'image' || family === 'audio' || family === 'video') return family
  // Editors and servers name languages like that.
  return type.startsWith('text/x-') ? 'code' : undefined
}

/** What a URI calls the thing itself, decoded where it can be. */
function lastSegment(uri: string): string {
  const path = uri.split(/[?#]/, 1)[0] ?? ''
  const segment = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf(':')) + 1)
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
