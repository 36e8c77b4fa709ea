import { ShelfError } from '../../errors.ts'
import type { Provider } from '../../library/index.ts'
import { letGo } from '../../library/index.ts'
import { decodeUtf8 } from '../bytes/index.ts'
import type { Asker } from './asker.ts'
import { ownCopy } from './held-resource.ts'

/**
 * The text of a resource, of all its contents that are text, or of bytes that are UTF-8.
 *
 * @throws ShelfError `unsupported` where there is none; `too-large`; what the provider throws
 */
export async function readText(provider: Provider, asker: Asker, uri: string, maxBytes: number): Promise<string> {
  const result = await asker.ask(
    (call) => provider.read({ uri, maxBytes }, call),
    (late) => {
      if (late?.kind === 'contents') letGo(late)
    },
  )
  if (result.kind !== 'contents') throw noText(uri)
  try {
    const texts = result.contents.flatMap((one) =>
      'text' in one ? [one.text] : one.bytes instanceof Uint8Array ? (decodeUtf8(one.bytes) ?? []) : [],
    )
    if (texts.length === 0 || texts.some((text) => typeof text !== 'string')) throw noText(uri)
    const text = texts.join('\n')
    // Whoever does not heed `maxBytes` is heeded no longer than that.
    return text.length > maxBytes ? ownCopy(text.slice(0, maxBytes)) : text
  } finally {
    letGo(result)
  }
}

function noText(uri: string): ShelfError {
  return new ShelfError('unsupported', `Wanted text, and ${uri} has none`, { operation: 'read' })
}
