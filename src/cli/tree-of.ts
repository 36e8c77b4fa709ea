import type { Resource } from '../protocol/index.ts'

/** A place in the tree: a resource, a folder of some, or both. */
export interface TreeNode {
  /** The last part of its URI, as it is written there. */
  readonly label: string
  readonly uri: string
  readonly depth: number
  readonly resource: Resource | undefined
  /** How many resources lie below it. */
  readonly below: number
  /** Whether what lies below it is not shown. */
  readonly cut: boolean
}

interface Branch {
  readonly label: string
  readonly uri: string
  resource: Resource | undefined
  below: number
  readonly children: Map<string, Branch>
}

/** Resources as a tree, in the order in which they came, by the paths of their URIs. */
export class TreeOf {
  readonly #root: Branch = branch('', '')

  get isEmpty(): boolean {
    return this.#root.children.size === 0
  }

  add(resource: Resource): void {
    let place = this.#root
    for (const part of partsOf(resource.uri)) {
      place.below++
      let next = place.children.get(part)
      if (next === undefined) place.children.set(part, (next = branch(part, place.uri + part)))
      place = next
    }
    place.resource = resource
  }

  roots(): Iterable<Branch> {
    return this.#root.children.values()
  }
}

function branch(label: string, uri: string): Branch {
  return { label, uri, resource: undefined, below: 0, children: new Map() }
}

/** `file:///docs/`, `guide/`, `a.md`: what is before the path with its first segment, then segment by segment. */
function partsOf(uri: string): readonly string[] {
  const start = /^[a-z][a-z0-9.+-]*:(?:\/\/[^/]*\/?|\/*)/i.exec(uri)?.[0] ?? ''
  const rest = uri.slice(start.length).split(/(?<=\/)/)
  return rest.length === 1 && rest[0] === '' ? [start] : [start, ...rest]
}

/** The places of a tree from top to bottom, each with the strokes before it. Not by recursion: a URI may be deep. */
export function* linesOf(
  roots: Iterable<Branch>,
  depth: number,
): Generator<{ readonly node: TreeNode; readonly indent: string }> {
  interface Waiting {
    readonly place: Branch
    readonly level: number
    readonly stem: string
    readonly isLast: boolean
  }
  const waiting: Waiting[] = []
  const push = (places: readonly Branch[], level: number, stem: string): void => {
    for (const [index, place] of [...places.entries()].toReversed()) {
      waiting.push({ place, level, stem, isLast: index === places.length - 1 })
    }
  }
  push([...roots], 0, '')
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { level, stem, isLast } = next
    const place = merged(next.place)
    const cut = level + 1 >= depth && place.children.size > 0
    const { label, uri, resource, below } = place
    yield {
      node: { label, uri, depth: level, resource, below, cut },
      indent: level === 0 ? '' : stem + (isLast ? '└── ' : '├── '),
    }
    if (!cut) push([...place.children.values()], level + 1, level === 0 ? '' : stem + (isLast ? '    ' : '│   '))
  }
}

/** A folder in which there is one folder and nothing else is shown with it, on one line. */
function merged(place: Branch): Branch {
  let { label } = place
  for (let at = place; ;) {
    const [only, another] = at.children.values()
    if (at.resource !== undefined || only === undefined || another !== undefined || only.children.size === 0)
      return { ...at, label }
    label += only.label
    at = only
  }
}
