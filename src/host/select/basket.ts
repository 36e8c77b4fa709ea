import { ShelfError } from '../../errors.ts'
import type { Provider } from '../../library/index.ts'
import type { TokenCounter } from '../budget/index.ts'
import { fit } from '../budget/index.ts'
import { kindOf, KINDS } from '../kinds/index.ts'
import type { Asker, SearchHit } from '../search/index.ts'
import { mayBeText, partyOf, Patience, readText } from '../search/index.ts'
import type { Choice, Rejection } from './options.ts'

/** With fewer tokens left nothing more is read. */
const LEAST = 24

export interface BasketOptions {
  readonly provider: Provider
  readonly asker: Asker
  readonly counter: TokenCounter
  readonly question: string
  readonly budget: number
  readonly perResourceBytes: number
}

/** What has been chosen until now, and what has not. */
export class Basket {
  readonly chosen: Choice[] = []
  readonly rejected: Rejection[] = []
  readonly #options: BasketOptions
  /** Which resource a text is of already. */
  readonly #texts = new Map<string, string>()
  readonly #patience = new Patience()
  #left: number

  constructor(options: BasketOptions) {
    this.#options = options
    this.#left = options.budget
  }

  get tokens(): number {
    return this.#options.budget - this.#left
  }

  reject({ resource }: SearchHit, reason: string): void {
    this.rejected.push({ resource, reason })
  }

  /** Reads a resource, and takes as much of it as there is room for, at most so many tokens; or says why not. */
  async take(hit: SearchHit, most: number, score: number, because: string): Promise<void> {
    const { provider, asker, counter, question, perResourceBytes } = this.#options
    const { resource } = hit
    if (this.#left < LEAST) return this.reject(hit, `no room: ${this.#left} tokens are left`)
    if (!mayBeText(hit)) return this.reject(hit, `no text: ${KINDS[hit.kind].title}`)
    let text: string
    try {
      const read = (): Promise<string> => readText(provider, asker, resource.uri, perResourceBytes)
      text = await this.#patience.ask('read', partyOf(resource), read)
    } catch (error) {
      if (ShelfError.is(error, 'cancelled')) throw error
      return this.reject(hit, `could not be read: ${ShelfError.from(error).code}`)
    }
    const twin = this.#texts.get(text)
    if (twin !== undefined) return this.reject(hit, `has the contents of ${twin}, which is chosen`)
    const budget = Math.max(LEAST, Math.min(this.#left, Math.floor(most)))
    const kind = kindOf(resource, text)
    const fitted = fit(text, kind, { budget, counter, question })
    if (fitted === undefined || fitted.tokens > this.#left) return this.reject(hit, `no part of it fits into ${budget} tokens`)
    this.#texts.set(text, resource.uri)
    this.#left -= fitted.tokens
    const how = fitted.form === 'whole' ? 'whole' : `its ${fitted.form === 'passages' ? 'best passages' : 'outline'} alone`
    this.chosen.push({ resource, kind, score, reason: `${because}; ${how}, ${fitted.tokens} tokens`, fitted })
  }
}
