import type { ChooserAnswer } from './ask-chooser.ts'
import type { Basket } from './basket.ts'
import type { Settings } from './settings.ts'
import type { Weighed } from './weigh.ts'

/** Fills the basket with what a chooser picked. */
export async function takePicked(
  basket: Basket,
  { picked, unseen }: ChooserAnswer,
  weighed: readonly Weighed[],
  settings: Settings,
  name: string,
): Promise<void> {
  const { limit, budget, share } = settings
  const byHit = new Map(weighed.map((one) => [one.hit, one]))
  basket.plan(picked.slice(0, limit).map(({ hit }) => hit))
  for (const [index, { hit, reason }] of picked.entries()) {
    const said = reason === '' ? '' : ` ("${reason}")`
    const { score = 0, because = '' } = byHit.get(hit) ?? {}
    if (index >= limit) basket.reject(hit, `${limit} are chosen already: by ${name}${said}`)
    else await basket.take(hit, budget * share, score, `chosen by ${name}${said}; ${because}`)
  }
  const hits = new Set(picked.map(({ hit }) => hit))
  for (const { hit, because } of weighed) {
    if (hits.has(hit)) continue
    basket.reject(hit, `${unseen.has(hit) ? `not shown to ${name}, whose list was full` : `not chosen by ${name}`}; ${because}`)
  }
}
