import { ShelfError } from '../../errors.ts'
import type { Call, Provider } from '../../library/index.ts'
import { linkedSignal, systemClock, unlessAborted } from '../../library/index.ts'
import type { TokenCounter } from '../budget/index.ts'
import { openTokenCounter } from '../budget/index.ts'
import { kindOf } from '../kinds/index.ts'
import type { ResourceSearch, SearchHit } from '../search/index.ts'
import { Asker, openSearch } from '../search/index.ts'
import { askChooser } from './ask-chooser.ts'
import { Basket } from './basket.ts'
import type { Selection, SelectOptions } from './options.ts'
import { takeBest } from './heuristics.ts'
import { takePicked } from './picked.ts'
import type { Settings } from './settings.ts'
import { settingsOf } from './settings.ts'
import { weigh } from './weigh.ts'
import type { Weighed } from './weigh.ts'

/** Required ones that are looked at. */
const REQUIRED = 20

/**
 * Chooses what of a provider goes into the context of a model to answer a question, within a budget of tokens: pins, then what
 * a chooser names, or what heuristics make of relevance, priority, recency, size and diversity. All that was looked at comes
 * with the reason for what became of it.
 *
 * @throws ShelfError `invalid-option`; `cancelled` with `signal` or the signal of the call
 */
export async function select(provider: Provider, call: Call, question: string, options: SelectOptions): Promise<Selection> {
  const settings = settingsOf(options)
  const { clock = systemClock, search } = options
  // What is read ahead and never needed ends with the selection.
  const { signal, end } = linkedSignal(call.signal, ...(options.signal === undefined ? [] : [options.signal]))
  const asker = new Asker(call, signal, clock, settings.timeoutMs)
  const counter = options.counter ?? (await openTokenCounter())
  const basket = new Basket({ provider, asker, counter, question, render: options.render, ...settings })
  const choose = async (index: ResourceSearch): Promise<Selection> => {
    const outcome = await fill(basket, index, { question, options, settings, asker, signal, counter, now: clock.wall() })
    return {
      question,
      chosen: basket.chosen,
      rejected: basket.rejected,
      tokens: basket.tokens,
      budget: settings.budget,
      ...outcome,
    }
  }
  try {
    if (search !== undefined) return await choose(search)
    const own = await openSearch(provider, call, { signal, clock, timeoutMs: settings.timeoutMs })
    try {
      await unlessAborted(own.ready, signal)
      return await choose(own)
    } finally {
      await own[Symbol.asyncDispose]()
    }
  } finally {
    end()
  }
}

interface Work {
  readonly question: string
  readonly options: SelectOptions
  readonly settings: Settings
  readonly asker: Asker
  readonly signal: AbortSignal
  readonly counter: TokenCounter
  readonly now: number
}

async function fill(basket: Basket, index: ResourceSearch, work: Work): Promise<Pick<Selection, 'by' | 'failure'>> {
  const { question, options, settings, asker, signal, counter } = work
  const { pins = [], chooser } = options
  const pinned = new Map(pins.map((uri) => index.get(uri) ?? unlisted(uri)).map((hit) => [hit.resource.uri, hit]))
  basket.plan([...pinned.values()])
  for (const hit of pinned.values()) await basket.take(hit, settings.budget, 0, 'pinned')
  const weighed = candidates(index, work).filter(({ hit }) => {
    if (pinned.has(hit.resource.uri)) return false
    const isForModels = hit.resource.annotations?.audience?.includes('assistant') !== false
    if (!isForModels) basket.reject(hit, 'for people alone: its audience is user')
    return isForModels
  })
  let failure: string | undefined
  if (chooser !== undefined) {
    const { budget, limit, listTokens } = settings
    const asked = { question, hits: weighed.map(({ hit }) => hit), budget: budget - basket.tokens, limit, listTokens, counter }
    try {
      await takePicked(basket, await askChooser(chooser, asker, asked), weighed, settings, chooser.name)
      return { by: 'chooser' }
    } catch (error) {
      // What came after the answer is not the chooser's failure, and only an end comes then.
      if (signal.aborted) throw error
      failure = `${chooser.name} did not choose: ${ShelfError.from(error).code}`
    }
  }
  await takeBest(basket, weighed, settings, failure === undefined ? '' : `; ${failure}`)
  return { by: 'heuristics', ...(failure !== undefined && { failure }) }
}

/** What matches, the best first, and what its servers call required. */
function candidates(index: ResourceSearch, { question, options, settings, now }: Work): readonly Weighed[] {
  const { filters = {} } = options
  const hits = question.trim() === '' ? [] : index.search(question, { ...filters, limit: settings.candidates })
  const best = hits[0]?.score ?? 0
  const known = new Set(hits.map(({ resource }) => resource.uri))
  const required = index
    .search('', { ...filters, limit: index.size })
    .filter(({ resource }) => resource.annotations?.priority === 1 && !known.has(resource.uri))
    .slice(0, REQUIRED)
  return [...hits, ...required].map((hit) => weigh(hit, best, settings.budget, now))
}

/** A pin may name what no list has, such as a URI of a template. */
function unlisted(uri: string): SearchHit {
  const resource = { uri, name: uri }
  return { resource, kind: kindOf(resource), score: 0, terms: [], fields: [] }
}
