import fc from 'fast-check'
import { createLibrary, notFound } from '../../src/index.ts'
import type { AccessOperation, AccessRule, Library, Operation, Policy, Principal, Provider } from '../../src/index.ts'
import { memory } from '../../src/providers/memory/index.ts'
import type { FakeClock } from '../../src/testing/index.ts'

/** All that a library may hold, by what holds it. */
const HELD = {
  own: ['a://x', 'a://x/1', 'a://y/1', 'a://y/2'],
  family: ['t://p/1', 't://q/1', 't://q/2'],
  mounted: ['m://x/1', 'm://x/2', 'm://y'],
  nested: ['team+i://x', 'team+i://y/1'],
  tree: ['d://r/a', 'd://r/b/c'],
} as const

export const TEMPLATE = 't://{k}/{n}'

/** Directories are there when one of their files is. */
const DIRECTORIES = ['d://r', 'd://r/b']

/** A read of it gives contents of others with it. */
export const LINKS = 'a://links'
/** It changes with what is mounted. */
export const SUM = 'a://sum'

export interface World {
  readonly held: readonly string[]
  /** URIs that are asked for: what is held, what could have been, directories, and what never is there. */
  readonly asked: readonly string[]
}

const everything = Object.values(HELD).flat()

export const worlds: fc.Arbitrary<World> = fc
  .subarray(everything, { minLength: 4 })
  .map((some) => ({ held: [...some, LINKS, SUM], asked: [...everything, LINKS, SUM, ...DIRECTORIES, 'a://z', 'm://x/9'] }))

/** The directory's children among what is held, directories too. */
export function childrenOf(world: World, directory: string): readonly string[] {
  const below = [...world.held, ...DIRECTORIES].filter((uri) => uri.startsWith(`${directory}/`))
  const exists = (uri: string): boolean => world.held.some((held) => held === uri || held.startsWith(`${uri}/`))
  return below.filter((uri) => !uri.slice(directory.length + 1).includes('/') && exists(uri)).toSorted()
}

export function libraryOf(world: World, clock: FakeClock, policy: Policy): Library {
  const has = (uri: string): boolean => world.held.includes(uri)
  const inner = createLibrary({ name: 'inner' })
  for (const uri of HELD.nested.filter(has)) inner.resource(uri.slice('team+'.length), () => uri)
  const library = createLibrary({ name: 'world', clock })
    .use(policy)
    .mount(memory({ name: 'm', prefixes: ['m:'], resources: HELD.mounted.filter(has).map((uri) => ({ uri, text: uri })) }))
    .mount(inner, { at: 'team' })
    .mount(tree(world))
    .resource(LINKS, () => [LINKS, ...everything].map((uri) => ({ uri, text: uri })))
    .resource(SUM, { dependsOn: ['m://'] }, () => SUM)
    .template(
      TEMPLATE,
      {
        list: () =>
          HELD.family.filter(has).map((uri) => {
            const [k = '', n = ''] = uri.slice('t://'.length).split('/')
            return { k, n }
          }),
      },
      ({ k, n }) => (has(`t://${k}/${n}`) ? 'tea' : undefined),
    )
  for (const uri of HELD.own.filter(has)) library.resource(uri, () => uri)
  return library
}

function tree(world: World): Provider {
  const files = HELD.tree.filter((uri) => world.held.includes(uri))
  const item = (uri: string) => ({ uri, name: uri })
  return {
    name: 'tree',
    prefixes: ['d:'],
    list: async () => ({ items: files.map(item) }),
    read: async ({ uri }) => {
      if (!files.some((file) => file === uri)) throw notFound(uri)
      return { kind: 'contents', contents: [{ uri, text: uri }] }
    },
    children: async ({ uri }) => {
      const items = childrenOf(world, uri).map(item)
      if (items.length === 0) throw notFound(uri)
      return { items }
    },
  }
}

/** A pattern of a rule, and what it means, written down by hand. */
interface Meaning {
  readonly text: string
  covers(uri: string): boolean
}

function prefix(text: string, normal = text): Meaning {
  return {
    text,
    covers: (uri) =>
      uri === normal ||
      (uri.startsWith(normal) && ('/:+'.includes(normal.at(-1) ?? '') || '/?#'.includes(uri.charAt(normal.length)))),
  }
}

const MEANINGS: readonly Meaning[] = [
  { text: 'any', covers: () => true },
  ...['a:', 'a://x', 'a://y/', 'm://', 'm://x', 't:', 't://q', 'team+', 'team+i://y', 'd:', 'd://r', 'd://r/b'].map((text) =>
    prefix(text),
  ),
  prefix('A://%78/1', 'a://x/1'),
  prefix('m://%79', 'm://y'),
  { text: 'a://{x}/1', covers: (uri) => /^a:\/\/[^/]+\/1$/.test(uri) },
  { text: 't://q/{n}', covers: (uri) => /^t:\/\/q\/[^/]+$/.test(uri) },
  { text: 'm://x/{+p}', covers: (uri) => /^m:\/\/x\/.+$/.test(uri) },
  { text: 'd://r/{name}', covers: (uri) => /^d:\/\/r\/[^/]+$/.test(uri) },
]

/** Whom a rule is about, and what that means. */
const PEOPLE: readonly (readonly [who: AccessRule['who'], is: (principal: Principal) => boolean])[] = [
  [undefined, () => true],
  ['local', ({ kind }) => kind === 'local'],
  [['anonymous', { id: 'ann' }], ({ kind, id }) => kind === 'anonymous' || (kind === 'authenticated' && id === 'ann')],
  [{ scope: 's1' }, ({ kind, scopes }) => kind === 'authenticated' && scopes.includes('s1')],
  [{ claims: { tenant: 'one' } }, ({ kind, claims }) => kind === 'authenticated' && claims['tenant'] === 'one'],
]

const OPERATIONS: readonly AccessOperation[] = ['list', 'templates', 'read', 'children', 'complete', 'subscribe']

export interface Drawn {
  readonly rule: AccessRule
  readonly allows: boolean
  readonly meaning: Meaning
  readonly operations: readonly Operation[] | undefined
  readonly is: (principal: Principal) => boolean
}

const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    allows: fc.boolean(),
    meaning: fc.constantFrom(...MEANINGS),
    person: fc.constantFrom(...PEOPLE),
    operations: fc.option(fc.subarray([...OPERATIONS], { minLength: 1 }), { nil: undefined, freq: 3 }),
  })
  .map(({ allows, meaning, person: [who, is], operations }) => {
    const rest = { ...(who !== undefined && { who }), ...(operations && { operations }) }
    const rule: AccessRule = allows ? { allow: meaning.text, ...rest } : { deny: meaning.text, ...rest }
    return { rule, allows, meaning, operations, is }
  })

/** Mostly ending so that something is left to see. */
export const ruleLists: fc.Arbitrary<readonly Drawn[]> = fc
  .tuple(fc.array(drawn, { maxLength: 6 }), fc.boolean())
  .map(([rules, open]) =>
    open
      ? [...rules, { rule: { allow: 'any' }, allows: true, meaning: MEANINGS[0]!, operations: undefined, is: () => true }]
      : rules,
  )

export const principals: fc.Arbitrary<Principal> = fc.oneof(
  fc.constant<Principal>({ id: 'local', kind: 'local', scopes: [], claims: {} }),
  fc.constant<Principal>({ id: 'ann', kind: 'anonymous', scopes: ['s1'], claims: { tenant: 'one' } }),
  fc.record({
    id: fc.constantFrom('ann', 'bob'),
    kind: fc.constant('authenticated' as const),
    scopes: fc.subarray(['s1', 's2']),
    claims: fc.record({ tenant: fc.constantFrom('one', 'two') }),
  }),
)

/** What the rules mean: the first that matches, for the operation and for reading. */
export function means(rules: readonly Drawn[], principal: Principal, operation: AccessOperation, uri: string): boolean {
  const one = (asked: AccessOperation): boolean =>
    rules.find((rule) => rule.is(principal) && (rule.operations?.includes(asked) ?? true) && rule.meaning.covers(uri))?.allows ??
    false
  return one('read') && one(operation)
}
