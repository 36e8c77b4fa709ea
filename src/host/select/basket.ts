import { ShelfError } from '../../errors.ts'
import type { Provider } from '../../library/index.ts'
import type { Resource } from '../../protocol/index.ts'
import type { TokenCounter } from '../budget/index.ts'
import { fit } from '../budget/index.ts'
import { blockType, isMedium } from '../bytes/index.ts'
import { kindOf, KINDS } from '../kinds/index.ts'
import type { Asker, SearchHit } from '../search/index.ts'
import { mayBeText, partyOf, Patience, readBytes, readText } from '../search/index.ts'
import { ReadAhead } from './read-ahead.ts'
import type { Settings } from './settings.ts'
import type { Choice, Rejection, SelectOptions } from './options.ts'

/** With fewer tokens left nothing more is read. */
const LEAST = 24

const NO_TEXT = { form: 'whole', parts: [], outline: '', leftOut: undefined } as const

type Read<T> = (provider: Provider, asker: Asker, uri: string, maxBytes: number) => Promise<T>

export interface BasketOptions {
  readonly provider: Provider
  readonly asker: Asker
  readonly counter: TokenCounter
  readonly question: string
  readonly budget: number
  readonly perResourceBytes: number
  readonly media: Settings['media']
  readonly render: SelectOptions['render']
}

/** What has been chosen until now, and what has not. */
export class Basket {
  readonly chosen: Choice[] = []
  readonly rejected: Rejection[] = []
  readonly #options: BasketOptions
  /** Which resource a text is of already. */
  readonly #texts = new Map<string, string>()
  readonly #patience = new Patience()
  readonly #ahead = new ReadAhead((hit) => this.#read(hit.resource, readText))
  #tokens = 0
  #blockTokens = 0

  constructor(options: BasketOptions) {
    this.#options = options
  }

  get tokens(): number {
    return this.#tokens
  }

  get #left(): number {
    return this.#options.budget - this.#tokens
  }

  /** What will be taken next, as far as there is room: it is read meanwhile. */
  plan(hits: readonly SearchHit[]): void {
    this.#ahead.plan(hits.filter(mayBeText))
  }

  reject({ resource }: SearchHit, reason: string): void {
    this.rejected.push({ resource, reason })
  }

  /** Reads a resource, and takes as much of it as there is room for, at most so many tokens; or says why not. */
  async take(hit: SearchHit, most: number, score: number, because: string): Promise<void> {
    const { resource } = hit
    if (this.#left < LEAST) return this.reject(hit, `no room: ${this.#left} tokens are left`)
    if (!mayBeText(hit)) return this.#takeBlock(hit, score, because)
    let text: string
    try {
      text = await this.#ahead.of(hit)
    } catch (error) {
      if (ShelfError.is(error, 'cancelled')) throw error
      return this.reject(hit, `could not be read: ${ShelfError.from(error).code}`)
    }
    const twin = this.#texts.get(text)
    if (twin !== undefined) return this.reject(hit, `has the contents of ${twin}, which is chosen`)
    const room = Math.max(LEAST, Math.min(this.#left, Math.floor(most)))
    const choice = this.#fitted({ resource, kind: kindOf(resource, text), score }, text, room)
    if (choice === undefined) return this.reject(hit, `no part of it fits into ${room} tokens`)
    this.#texts.set(text, resource.uri)
    this.#tokens += choice.tokens
    const { form } = choice.fitted
    const how = form === 'whole' ? 'whole' : `its ${form === 'passages' ? 'best passages' : 'outline'} alone`
    this.chosen.push({ ...choice, reason: `${because}; ${how}, ${choice.tokens} tokens` })
  }

  async #takeBlock(hit: SearchHit, score: number, because: string): Promise<void> {
    const { media } = this.#options
    const { resource, kind } = hit
    const tokens = isMedium(kind) ? media.get(kind) : undefined
    if (!isMedium(kind) || tokens === undefined) return this.reject(hit, `no text: ${KINDS[kind].title}`)
    const choice: Choice = { resource, kind, score, tokens, reason: '', fitted: { ...NO_TEXT, tokens } }
    const all = this.#measure(choice, tokens)
    if (all > this.#left) return this.reject(hit, `no room: it takes ${all} tokens, and ${this.#left} are left`)
    let bytes: Uint8Array
    try {
      bytes = await this.#read(resource, readBytes)
    } catch (error) {
      if (ShelfError.is(error, 'cancelled')) throw error
      return this.reject(hit, `could not be read: ${ShelfError.from(error).code}`)
    }
    if (blockType(kind, bytes) === undefined) {
      return this.reject(hit, `nothing that models take as it is: ${KINDS[kind].title}`)
    }
    this.#tokens += all
    this.#blockTokens += tokens
    this.chosen.push({ ...choice, tokens: all, bytes, reason: `${because}; as it is, ${all} tokens` })
  }

  #read<T>(resource: Resource, how: Read<T>): Promise<T> {
    const { provider, asker, perResourceBytes } = this.#options
    return this.#patience.ask('read', partyOf(resource), () => how(provider, asker, resource.uri, perResourceBytes))
  }

  /** As much of a text as is wanted, if there is room for that with what is written round it. */
  #fitted(named: Pick<Choice, 'resource' | 'kind' | 'score'>, text: string, room: number): Choice | undefined {
    const { counter, question } = this.#options
    for (let budget = room; budget >= LEAST;) {
      const fitted = fit(text, named.kind, { budget, counter, question })
      if (fitted === undefined) return undefined
      const choice = { ...named, fitted, reason: '', tokens: fitted.tokens }
      const tokens = this.#measure(choice)
      if (tokens <= this.#left) return { ...choice, tokens }
      budget = Math.min(budget, fitted.tokens) - (tokens - this.#left)
    }
    return undefined
  }

  /** What one more takes: blocks what is said of them, and of the rest what is written. */
  #measure(choice: Choice, block = 0): number {
    const { counter, render } = this.#options
    if (render === undefined) return choice.tokens
    const output = render([...this.chosen, choice].map(({ bytes: _block, ...written }) => written))
    const written = counter.count(typeof output === 'string' ? output : JSON.stringify(output))
    return written + this.#blockTokens + block - this.#tokens
  }
}
