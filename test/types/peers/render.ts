import type { Anthropic } from '../../peers/node_modules/@anthropic-ai/sdk/index.js'
import type { ModelMessage } from '../../peers/node_modules/ai/dist/index.js'
import type { OpenAI } from '../../peers/node_modules/openai/index.js'
import type { AiSdkPart, AnthropicPart, OpenAiPart } from '../../../src/host/index.ts'

/** What is rendered is what the packages themselves take. */
export const toAnthropic = (content: AnthropicPart[]): Anthropic.MessageParam => ({ role: 'user', content })

export const toOpenAi = (content: OpenAiPart[]): OpenAI.Chat.Completions.ChatCompletionMessageParam => ({ role: 'user', content })

export const toAiSdk = (content: AiSdkPart[]): ModelMessage => ({ role: 'user', content })
