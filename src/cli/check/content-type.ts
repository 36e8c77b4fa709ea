/** Type and subtype of a MIME type, without parameters, in lower case. */
export function essence(mimeType: string): string {
  return mimeType.split(';', 1)[0]!.trim().toLowerCase()
}

/** How the bytes of some types begin; those that have no other beginning. */
const SIGNATURES: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['89504e470d0a1a0a'],
  'image/jpeg': ['ffd8ff'],
  'image/gif': ['474946383761', '474946383961'],
  'image/webp': ['52494646'],
  'application/gzip': ['1f8b'],
  'application/zip': ['504b0304', '504b0506', '504b0708'],
}

/** PDF readers look for the header in as many bytes (ISO 32000, Annex H). */
const PDF_HEAD = 1_024

/** Whether bytes can be of this type; true where that cannot be told. */
export function mayBe(mimeType: string, bytes: Buffer): boolean {
  if (bytes.length === 0) return true
  const type = essence(mimeType)
  if (type === 'application/pdf') return bytes.subarray(0, PDF_HEAD).includes('%PDF-')
  const signatures = Object.hasOwn(SIGNATURES, type) ? SIGNATURES[type] : undefined
  if (signatures === undefined) return true
  const head = bytes.toString('hex', 0, 8)
  return signatures.some((signature) => head.startsWith(signature))
}

/** Types of which no body is text. */
export function isBinaryType(mimeType: string): boolean {
  const type = essence(mimeType)
  if (['application/pdf', 'application/zip', 'application/gzip'].includes(type)) return true
  return /^(?:image\/(?:png|jpeg|gif|webp)|audio\/(?:mpeg|wav|ogg|flac)|video\/(?:mp4|webm|mpeg))$/.test(type)
}

/** Types of which every body is text. */
export function isTextType(mimeType: string): boolean {
  const type = essence(mimeType)
  return type.startsWith('text/') || type === 'application/json' || type.endsWith('+json') || type.endsWith('+xml')
}

/** Whether text is what becomes of bytes that are decoded although they are no text. */
export function isDecodedBinary(text: string): boolean {
  const replaced = text.split('\uFFFD').length - 1
  return replaced >= 8 && replaced >= text.length / 20
}

/** Bytes of base64 text, if that is what it is (RFC 4648 section 4). */
export function bytesOf(base64: string): Buffer | undefined {
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 ? bytes : undefined
}
