/** A multiple of three, so that pieces join without padding between them. */
const PIECE = 0x6000

/** Bytes as base64 with padding (RFC 4648 section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  let encoded = ''
  for (let start = 0; start < bytes.length; start += PIECE) {
    encoded += btoa(String.fromCharCode(...bytes.subarray(start, start + PIECE)))
  }
  return encoded
}
