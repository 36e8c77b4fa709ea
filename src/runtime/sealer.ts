import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { Sealer } from '../protocol/index.ts'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * AES-256-GCM. Sealed text is base64url of version, nonce, tag and ciphertext.
 *
 * @param secret any text or bytes, for several processes that share it; default: random, for this process only
 * @param previous secrets that were in use before: what they sealed is still opened, and nothing is sealed with them
 */
export function createSealer(secret?: string | Uint8Array, previous: readonly (string | Uint8Array)[] = []): Sealer {
  const own = secret === undefined ? randomBytes(32) : keyOf(secret)
  const keys = [own, ...previous.map(keyOf)]
  return {
    seal(plain, bound) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', own, nonce)
      cipher.setAAD(Buffer.from(bound))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    open(sealed, bound) {
      const bytes = Buffer.from(sealed, 'base64url')
      // Node ignores what is not base64url; only the one spelling that we wrote is ours.
      if (bytes.toString('base64url') !== sealed) return undefined
      if (bytes.length < 1 + NONCE_BYTES + TAG_BYTES || bytes[0] !== VERSION) return undefined
      for (const key of keys) {
        const plain = openWith(key, bytes, bound)
        if (plain !== undefined) return plain
      }
      return undefined
    },
  }
}

function keyOf(secret: string | Uint8Array): Buffer {
  return createHash('sha256').update('shelfmark sealer 1\0').update(secret).digest()
}

function openWith(key: Buffer, bytes: Buffer, bound: string): string | undefined {
  const body = 1 + NONCE_BYTES + TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + NONCE_BYTES))
  decipher.setAAD(Buffer.from(bound))
  decipher.setAuthTag(bytes.subarray(1 + NONCE_BYTES, body))
  try {
    return decipher.update(bytes.subarray(body), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
