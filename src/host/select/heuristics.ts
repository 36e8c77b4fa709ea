import type { Basket } from './basket.ts'
import { diverseOrder } from './diverse-order.ts'
import type { Settings } from './settings.ts'
import type { Weighed } from './weigh.ts'

/** What is required and matches nothing: so many of them, for so much of the budget. Who says so of all it has means itself. */
const REQUIRED = 3
const REQUIRED_SHARE = 0.25

/** Fills the basket with the best of what matches, then with what is required. */
export async function takeBest(basket: Basket, weighed: readonly Weighed[], settings: Settings, note: string): Promise<void> {
  const { threshold, limit, budget, share } = settings
  const required = weighed.filter(({ relevance }) => relevance === 0)
  const matching = weighed.filter(({ relevance }) => relevance > 0)
  for (const { hit, because } of matching.filter(({ relevance }) => relevance < threshold)) {
    basket.reject(hit, `matches too little: ${because}${note}`)
  }
  const pins = basket.chosen.length
  const best = [...diverseOrder(matching.filter(({ relevance }) => relevance >= threshold))]
  basket.plan([...best.slice(0, limit), ...required.slice(0, REQUIRED)].map(({ hit }) => hit))
  for (const { hit, score, because, neighbours } of best) {
    const why = `${because}${neighbours === 0 ? '' : `; ${neighbours} of its folder before it`}${note}`
    if (basket.chosen.length - pins >= limit) basket.reject(hit, `${limit} are chosen already: ${why}`)
    else await basket.take(hit, budget * share, score, why)
  }
  for (const [index, { hit, score, because }] of required.entries()) {
    const why = `required by its server; ${because}${note}`
    if (basket.chosen.length - pins >= limit) basket.reject(hit, `${limit} are chosen already: ${why}`)
    else if (index >= REQUIRED) basket.reject(hit, `${REQUIRED} that are required are looked at: ${why}`)
    else await basket.take(hit, (budget * REQUIRED_SHARE) / REQUIRED, score, why)
  }
}
