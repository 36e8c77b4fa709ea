import type { Weighed } from './weigh.ts'

/** What each one from the same place takes off, and at most. */
const NEIGHBOUR = 0.05
const MOST = 0.15

/** The best first, each against those before it: of the same folder or server something else is worth more. */
export function* diverseOrder(candidates: readonly Weighed[]): Generator<Weighed & { readonly neighbours: number }> {
  const left = new Set(candidates)
  const places = new Map<string, number>()
  const worth = (one: Weighed): number => one.score - Math.min(MOST, NEIGHBOUR * (places.get(placeOf(one)) ?? 0))
  while (left.size > 0) {
    let best: Weighed | undefined
    for (const one of left) if (best === undefined || worth(one) > worth(best)) best = one
    if (best === undefined) return
    left.delete(best)
    const neighbours = places.get(placeOf(best)) ?? 0
    places.set(placeOf(best), neighbours + 1)
    yield { ...best, neighbours }
  }
}

/** The folder that a URI is in. */
function placeOf({ hit }: Weighed): string {
  const path = hit.resource.uri.split(/[?#]/, 1)[0] ?? ''
  return path.slice(0, Math.max(path.lastIndexOf('/'), path.indexOf(':')))
}
