/** What bytes are that no text rule fits. */
export const BINARY_TYPE = 'application/octet-stream'

/** What text is whose name says nothing. */
export const TEXT_TYPE = 'text/plain'

/** Types outside `text/` whose bodies are text, besides the suffixes `+json`, `+xml` and `+yaml`. */
const TEXTUAL: ReadonlySet<string> = new Set([
  'application/json',
  'application/jsonl',
  'application/json5',
  'application/ld+json',
  'application/xml',
  'application/xml-dtd',
  'application/javascript',
  'application/ecmascript',
  'application/node',
  'application/typescript',
  'application/yaml',
  'application/toml',
  'application/sql',
  'application/graphql',
  'application/x-sh',
  'application/x-csh',
  'application/x-httpd-php',
  'application/x-tex',
  'application/x-perl',
])

/**
 * True if a body of this MIME type is text by definition. Parameters are ignored, case does not count.
 * A type outside this set may still hold text; only its bytes can tell.
 */
export function isTextType(type: string): boolean {
  const essence = essenceOf(type)
  if (essence.startsWith('text/') || TEXTUAL.has(essence)) return true
  return essence.endsWith('+json') || essence.endsWith('+xml') || essence.endsWith('+yaml')
}

function essenceOf(type: string): string {
  const end = type.indexOf(';')
  return (end === -1 ? type : type.slice(0, end)).trim().toLowerCase()
}
