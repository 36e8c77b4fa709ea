import { encodeBase64 } from '../bytes/index.ts'
import type { RenderItem } from './item.ts'
import type { Rendered } from './markdown.ts'
import type { NativeSupport } from './native.ts'
import { nativeParts } from './native.ts'

/** Content blocks of the Messages API of Anthropic. */
export type AnthropicPart =
  | { type: 'text'; text: string }
  | {
      type: 'image'
      source: { type: 'base64'; media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'; data: string }
    }
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string }; title: string }

/** Content parts of the Chat Completions API of OpenAI. */
export type OpenAiPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } }

/** Content parts of a user message of the AI SDK. */
export type AiSdkPart =
  | { type: 'text'; text: string }
  | { type: 'image'; image: Uint8Array; mediaType: string }
  | { type: 'file'; data: Uint8Array; mediaType: string; filename: string }

/** Resources as content blocks of Anthropic's Messages API, which takes no sound. */
export function renderAnthropic(items: readonly RenderItem[], support: NativeSupport = {}): Rendered<AnthropicPart[]> {
  const { text, blocks, sources } = nativeParts(items, { ...support, audio: false })
  const output: AnthropicPart[] = [{ type: 'text', text }]
  for (const { kind, mimeType, bytes, caption, name } of blocks) {
    const data = encodeBase64(bytes)
    output.push({ type: 'text', text: caption })
    if (kind === 'pdf') {
      output.push({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data }, title: name })
    } else {
      const media_type = mimeType as Extract<AnthropicPart, { type: 'image' }>['source']['media_type']
      output.push({ type: 'image', source: { type: 'base64', media_type, data } })
    }
  }
  return { output, sources }
}

/** Resources as content parts of OpenAI's Chat Completions API. */
export function renderOpenAi(items: readonly RenderItem[], support: NativeSupport = {}): Rendered<OpenAiPart[]> {
  const { text, blocks, sources } = nativeParts(items, support)
  const output: OpenAiPart[] = [{ type: 'text', text }]
  for (const { kind, mimeType, bytes, caption, name } of blocks) {
    const data = encodeBase64(bytes)
    output.push({ type: 'text', text: caption })
    if (kind === 'image') output.push({ type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } })
    else if (kind === 'pdf') output.push({ type: 'file', file: { filename: name, file_data: `data:${mimeType};base64,${data}` } })
    else output.push({ type: 'input_audio', input_audio: { data, format: mimeType === 'audio/wav' ? 'wav' : 'mp3' } })
  }
  return { output, sources }
}

/** Resources as content parts of a user message of the AI SDK. */
export function renderAiSdk(items: readonly RenderItem[], support: NativeSupport = {}): Rendered<AiSdkPart[]> {
  const { text, blocks, sources } = nativeParts(items, support)
  const output: AiSdkPart[] = [{ type: 'text', text }]
  for (const { kind, mimeType, bytes, caption, name } of blocks) {
    output.push({ type: 'text', text: caption })
    if (kind === 'image') output.push({ type: 'image', image: bytes, mediaType: mimeType })
    else output.push({ type: 'file', data: bytes, mediaType: mimeType, filename: name })
  }
  return { output, sources }
}
