import { ShelfError } from '../../errors.ts'
import type { Client } from '../client.ts'

/** The set is looked at so far, in resources. */
const MOST_LOOKED_AT = 10_000

/**
 * What a resource is like now, as text that differs whenever it does: its version where the server has one, else a
 * digest of all that a read gives. What is not there, and what the server does not give, is like nothing.
 */
export async function fingerprint(client: Client, uri: string, signal: AbortSignal): Promise<string> {
  try {
    const { extension } = await client.server({ signal })
    if (extension.stat && extension.versions) {
      const { version } = await client.stat(uri, { signal })
      if (version !== undefined) return `version ${version}`
    }
    const { contents, version } = await client.read(uri, { signal, fresh: true })
    return version === undefined ? `digest ${await digest(JSON.stringify(contents, bytesAsNumbers))}` : `version ${version}`
  } catch (error) {
    const failure = ShelfError.from(error)
    if (isNoAnswer(failure)) throw failure
    return `none: ${failure.code}`
  }
}

/** What says nothing of the resource: the server, or this side, could not answer. */
function isNoAnswer({ code }: ShelfError): boolean {
  return ['unavailable', 'timeout', 'busy', 'cancelled', 'internal'].includes(code)
}

/** What the set of resources is like now: their URIs, in whatever order the server has them. */
export async function fingerprintOfSet(client: Client, signal: AbortSignal): Promise<string> {
  const uris: string[] = []
  for await (const { uri } of client.list({ signal, fresh: true, onNotice: () => undefined })) {
    uris.push(uri)
    if (uris.length === MOST_LOOKED_AT) break
  }
  uris.sort()
  return digest(JSON.stringify(uris))
}

function bytesAsNumbers(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? String(value) : value
}

async function digest(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
