/** Bytes that stand at some place of every file of a type, in Latin-1. */
interface Signature {
  readonly at: number
  readonly text: string
}

const at = (place: number, ...texts: readonly string[]): readonly Signature[] => texts.map((text) => ({ at: place, text }))

/** Any one of them is enough. Of types that clients show, play or unpack; those that run are told by their names alone. */
const SIGNATURES: Readonly<Record<string, readonly Signature[]>> = {
  'image/png': at(0, '\x89PNG\r\n\x1a\n'),
  'image/jpeg': at(0, '\xff\xd8\xff'),
  'image/gif': at(0, 'GIF87a', 'GIF89a'),
  'image/webp': at(8, 'WEBP'),
  'image/avif': at(4, 'ftypavif', 'ftypavis', 'ftypmif1'),
  'application/pdf': at(0, '%PDF-'),
  'application/zip': at(0, 'PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'),
  'application/gzip': at(0, '\x1f\x8b'),
  'audio/wav': at(8, 'WAVE'),
  'audio/x-flac': at(0, 'fLaC'),
  'video/webm': at(0, '\x1aE\xdf\xa3'),
}

const KNOWN: ReadonlyMap<string, readonly Signature[]> = new Map(Object.entries(SIGNATURES))

/** So many bytes from the beginning tell. */
export const SIGNATURE_BYTES = 16

/** Whether bytes begin as none of this type do; of most types nothing is known. */
export function contradicts(type: string, beginning: Uint8Array): boolean {
  const signatures = KNOWN.get(type)
  return signatures !== undefined && !signatures.some((signature) => isThere(signature, beginning))
}

/** The type that bytes begin like. */
export function typeBySignature(beginning: Uint8Array): string | undefined {
  for (const [type, signatures] of KNOWN) if (signatures.some((signature) => isThere(signature, beginning))) return type
  return undefined
}

function isThere({ at: place, text }: Signature, beginning: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (beginning[place + i] !== text.charCodeAt(i)) return false
  return true
}
