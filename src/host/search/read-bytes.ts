import { ShelfError } from '../../errors.ts'
import type { Provider } from '../../library/index.ts'
import { letGo, wholeBytes } from '../../library/index.ts'
import type { Asker } from './asker.ts'

/**
 * The bytes of a resource, the first that it has.
 *
 * @throws ShelfError `unsupported` where there are none; `too-large`; what the provider throws
 */
export function readBytes(provider: Provider, asker: Asker, uri: string, maxBytes: number): Promise<Uint8Array> {
  return asker.ask(async (call) => {
    const result = await provider.read({ uri, maxBytes }, call)
    const noBytes = new ShelfError('unsupported', `Wanted bytes, and ${uri} has none`, { operation: 'read' })
    if (result.kind !== 'contents') throw noBytes
    try {
      const body = result.contents.flatMap((one) => ('bytes' in one ? [one.bytes] : []))[0]
      if (body === undefined) throw noBytes
      return await wholeBytes(body, maxBytes, call)
    } finally {
      letGo(result)
    }
  })
}
