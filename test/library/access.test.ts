import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { access, createLibrary, localCall, notFound, ShelfError } from '../../src/index.ts'
import type { AccessDecision, AccessRule, Library, Operation, Principal, Provider } from '../../src/index.ts'
import { LOCAL } from '../../src/library/index.ts'
import { memory } from '../../src/providers/memory/index.ts'
import { failure } from './reading.ts'

const anonymous: Principal = { id: 'anonymous', kind: 'anonymous', scopes: [], claims: {} }
const ann: Principal = {
  id: 'ann',
  kind: 'authenticated',
  scopes: ['docs:read'],
  claims: { tenant: 'acme', groups: ['staff', 7], admin: true },
}

const as = (principal: Principal) => localCall({ principal })

/** What the rules say, asked as a provider asks: through the Call that it is given. */
async function allowed(rules: readonly AccessRule[], uri: string, principal = LOCAL, operation: Operation = 'read') {
  let answer: boolean | undefined
  const provider: Provider = {
    name: 'asks',
    prefixes: 'any',
    list: async (_request, call) => {
      answer = call.allows(operation, uri)
      return { items: [] }
    },
    read: async (request) => {
      throw notFound(request.uri)
    },
  }
  // A hidden mount is not asked: one rule at the end lets everybody reach it.
  const shelf = createLibrary({ name: 'acme' })
    .mount(provider)
    .use(access({ rules: [...rules, { allow: 'reach:' }] }))
  await shelf.list({ limit: 1 }, as(principal))
  return answer
}

const listed = async (shelf: Library, principal: Principal) =>
  (await shelf.list({ limit: 100 }, as(principal))).items.map((item) => item.uri)

const read = async (shelf: Library, uri: string, principal: Principal) => {
  const result = await shelf.read({ uri, maxBytes: 1000 }, as(principal))
  return result.kind === 'contents' ? result.contents.map((one) => one.uri) : result.kind
}

describe('access()', () => {
  it.each<[string, readonly AccessRule[], string, boolean]>([
    ['denies all without a rule', [], 'a://x', false],
    ['denies what no rule matches', [{ allow: 'a://x' }], 'a://y', false],
    ['allows what a prefix covers', [{ allow: 'a://x' }], 'a://x/y/z?q#f', true],
    ['does not take a longer name for what a prefix covers', [{ allow: 'a://x' }], 'a://xy', false],
    ['takes all that begins with an open prefix', [{ allow: 'a:' }], 'a:xy', true],
    ['allows what a template matches', [{ allow: 'a://{x}/y' }], 'a://1/y', true],
    ['allows no more than a template matches', [{ allow: 'a://{x}/y' }], 'a://1/y/z', false],
    ['does not look at the query of a template', [{ allow: 'a://{x}{?q}' }], 'a://1?z=1&z=2#f', true],
    ['lets the first rule win that allows', [{ allow: 'a://x/y' }, { deny: 'a://x' }], 'a://x/y', true],
    ['lets the first rule win that denies', [{ deny: 'a://x/y' }, { allow: 'any' }], 'a://x/y', false],
    ['takes several patterns as any of them', [{ allow: ['a://x', 'b:'] }], 'b:1', true],
    ['sees a qualified URI from outside', [{ allow: 'team+a://x' }], 'team+a://x', true],
    ['takes a qualifier for a prefix', [{ allow: 'team+' }], 'TEAM+a://x', true],
  ])('%s', async (_name, rules, uri, expected) => {
    expect(await allowed(rules, uri)).toBe(expected)
  })

  it.each<[string, AccessRule['who'], readonly [local: boolean, anonymous: boolean, ann: boolean]]>([
    ['everybody', undefined, [true, true, true]],
    ['a kind', 'local', [true, false, false]],
    ['any of several', ['anonymous', 'authenticated'], [false, true, true]],
    ['an id', { id: 'ann' }, [false, false, true]],
    ['an id of another kind of principal', [{ id: 'local' }, { id: 'anonymous' }], [false, false, false]],
    ['a scope', { scope: 'docs:read' }, [false, false, true]],
    ['a scope that is longer', { scope: 'docs' }, [false, false, false]],
    ['a claim', { claims: { tenant: 'acme' } }, [false, false, true]],
    ['one of the values of a claim', { claims: { groups: 'staff' } }, [false, false, true]],
    ['claims of another type', { claims: { groups: '7' } }, [false, false, false]],
    ['a claim that nobody made', { claims: { constructor: 'x' } }, [false, false, false]],
    ['several facts, all of which must hold', { id: 'ann', scope: 'docs:write' }, [false, false, false]],
  ])('is about %s', async (_name, who, expected) => {
    const rules: readonly AccessRule[] = [{ allow: 'a:', ...(who !== undefined && { who }) }]
    expect(await Promise.all([LOCAL, anonymous, ann].map((one) => allowed(rules, 'a:1', one)))).toEqual(expected)
  })

  it('limits a rule to operations, and lets nobody do anything with what may not be read', async () => {
    const operations: readonly Operation[] = ['list', 'read', 'stat', 'children', 'complete', 'subscribe']
    const all = async (rules: readonly AccessRule[]) => {
      const answers = await Promise.all(operations.map((operation) => allowed(rules, 'a:1', LOCAL, operation)))
      return operations.filter((_operation, i) => answers[i])
    }
    expect(await all([{ allow: 'a:', operations: ['read'] }])).toEqual(['read', 'stat'])
    expect(await all([{ allow: 'a:', operations: ['list', 'subscribe'] }])).toEqual([])
    expect(await all([{ deny: 'a:', operations: ['subscribe'] }, { allow: 'a:' }])).toEqual([
      'list',
      'read',
      'stat',
      'children',
      'complete',
    ])
    expect(await all([{ deny: 'a:', operations: ['read'] }, { allow: 'a:' }])).toEqual([])
  })

  it.each([
    ['a scheme in capitals', 'A://s/x'],
    ['encoded letters', 'a://%73/%78'],
    ['lower-case triplets of what is encoded', 'a://s/%c3%a9'],
    ['an encoded slash', 'a://s%2Fx'],
    ['an encoded slash within', 'a://s/x%2fy'],
    ['a backslash', 'a://s\\x'],
    ['an encoded backslash', 'a://s%5cx'],
    ['an empty segment', 'a://t//../s/x'],
    ['an empty segment that a source may leave out', 'a://t//s/x'],
    ['a dot segment', 'a://t/../s/x'],
    ['a dot segment that goes nowhere', 'a://t/./x'],
    ['an encoded dot segment', 'a://t/%2e%2E/s/x'],
    ['a dot segment behind an encoded slash', 'a://t/..%2fs'],
    ['a dot segment behind a backslash', 'a://t\\..\\s'],
    ['a dot segment at the end', 'a://t/..'],
    ['four slashes', 'a:////r/x'],
    ['one slash', 'a:/r/x'],
    ['a query', 'a://s?x'],
    ['a fragment', 'a://s#x'],
    ['a query below', 'a://s/x?y=1&y=2'],
    ['an encoded reserved character', 'a://R%26D/x'],
    ['a raw reserved character', 'a://E&F/x'],
    ['a template with text that is none', 'a://u/%ff'],
    ['a template with a query', 'a://u/x?y'],
    ['a template with an encoded slash', 'a://u/x%2Fy'],
    ['a template whose literal is encoded, written raw', 'a://u&v/x'],
    ['the host of a web address in capitals', 'https://SECRET.example/x'],
    ['the same behind a qualifier', 'team+https://Secret.example/x'],
    ['what is no URI', 'no scheme'],
    ['a control character', 'a://s\n'],
    ['a NUL', 'a://t/%00'],
    ['a lone surrogate', 'a://t/\ud800'],
    ['what is too long', `a://t/${'x'.repeat(9000)}`],
  ])('is not got round by %s', async (_name, uri) => {
    const deny = [
      'a://s',
      'a://t/s',
      'a:///r',
      'a://R&D/',
      'a://E%26F',
      'a://u/{+rest}',
      'a://u%26v/{x}',
      'https://secret.example/',
      'team+https://secret.example',
    ]
    expect(await allowed([{ deny }, { allow: 'any' }], uri)).toBe(false)
  })

  it('decides the same however a URI is spelt, and never allows a spelling of what is denied', async () => {
    const triplet = (character: string, lower: boolean): string => {
      const hex = character.charCodeAt(0).toString(16)
      return `%${lower ? hex : hex.toUpperCase()}`
    }
    const uri = fc
      .array(fc.constantFrom('a', 'b', 's&t', 'o.k', 'x;y'), { minLength: 1, maxLength: 4 })
      .map((segments) => `w-1://${segments.join('/')}`)
    const pattern = fc.constantFrom('w-1://a', 'w-1://a/b', 'w-1://s&t/', 'w-1://{x}/b', 'w-1://a/{+rest}', 'w-1://o.k', 'w-1:')
    const rule = fc.record({ allows: fc.boolean(), text: pattern })
    await fc.assert(
      fc.asyncProperty(uri, fc.array(rule, { maxLength: 5 }), fc.infiniteStream(fc.nat(11)), async (plain, drawn, dice) => {
        const rules = drawn.map(({ allows, text }): AccessRule => (allows ? { allow: text } : { deny: text }))
        const roll = (): number => Number(dice.next().value)
        const rest = Array.from(plain.slice('w-1:'.length))
        const spell = (isSpelt: (character: string, i: number) => boolean): string =>
          `${roll() % 2 === 0 ? 'W-1:' : 'w-1:'}${rest.map((one, i) => (isSpelt(one, i) ? triplet(one, roll() % 2 === 0) : one)).join('')}`
        const expected = await allowed(rules, plain)
        expect(
          await allowed(
            rules,
            spell((one) => /[a-z.]/.test(one) && roll() < 6),
          ),
        ).toBe(expected)
        // Reserved characters make another URI, but perhaps the same to its source.
        const odd = spell((one, i) => (i > 1 && roll() < 4) || (/[&;]/.test(one) && roll() < 6))
        const open: readonly AccessRule[] = [...rules, { allow: 'any' }]
        if (!(await allowed(open, plain))) expect([odd, await allowed(open, odd)]).toEqual([odd, false])
      }),
      { numRuns: 300 },
    )
  })

  it('allows a URI as it is written only, where a source may understand another', async () => {
    expect(await allowed([{ allow: 'a://t/s' }], 'a://t%2Fs')).toBe(false)
    expect(await allowed([{ allow: 'a://{one}' }], 'a://t%2Fs')).toBe(true)
    expect(await allowed([{ allow: 'a://{one}' }, { deny: 'a://t/s' }], 'a://t%2Fs')).toBe(false)
    expect(await allowed([{ allow: ['a://t/s/open', 'a://{one}/open'] }, { deny: 'a://t/s' }], 'a://t%2Fs/open')).toBe(true)
  })

  it.each<[unknown, string]>([
    [{ allow: 'docs' }, 'with which no URI begins'],
    [{ allow: 'a://x?q' }, 'has a query or fragment'],
    [{ deny: 'a://x#f' }, 'has a query or fragment'],
    [{ deny: 'a://x/../y' }, 'has a dot segment'],
    [{ deny: 'a://{x}?q=1' }, 'has a query, fragment or matrix parameters'],
    [{ deny: 'a://{x}{;y}' }, 'has a query, fragment or matrix parameters'],
    [{ allow: 'a://{x' }, 'a://{x'],
    [{ allow: 'a:', deny: 'b:' }, 'either "allow" or "deny"'],
    [{}, 'either "allow" or "deny"'],
    [{ allow: [] }, 'names no URI'],
    [{ allow: 5 }, 'is no text'],
    [{ allow: 'a:', users: 'x' }, 'no "users"'],
    [{ allow: 'a:', who: 'root' }, '"who" must be one of'],
    [{ allow: 'a:', who: {} }, 'at least one'],
    [{ allow: 'a:', who: [] }, 'names nobody'],
    [{ allow: 'a:', who: { role: 'x' } }, 'at least one'],
    [{ allow: 'a:', who: { claims: {} } }, 'says nothing'],
    [{ allow: 'a:', who: { scope: ['x'] } }, 'are text'],
    [{ allow: 'a:', who: { claims: { x: null } } }, 'a claim of "who"'],
    [{ allow: 'a:', operations: [] }, '"operations" are some of'],
    [{ allow: 'a:', operations: ['stat'] }, '"operations" are some of'],
    [null, 'is an object'],
  ])('refuses the rule %j', async (rule, why) => {
    const error = await failure(() => access({ rules: [rule as AccessRule] }))
    expect(error.message).toContain(why)
  })

  it('keeps the rules that hold when others are refused', async () => {
    const policy = access({ rules: [{ allow: 'a:' }] })
    const shelf = createLibrary({ name: 'acme' })
      .resource('a:1', () => '')
      .use(policy)
    expect((await failure(() => policy.replace([{ allow: 'b:' }, { allow: 'nothing' }]))).code).toBe('invalid-option')
    expect(await listed(shelf, LOCAL)).toEqual(['a:1'])
    policy.replace([])
    expect(await listed(shelf, LOCAL)).toEqual([])
  })

  it('denies what may no longer be read when a read of it is done, and lets go of it', async () => {
    const policy = access({ rules: [{ allow: 'a:' }] })
    const shelf = createLibrary({ name: 'acme' }).use(policy)
    let letGo = 0
    shelf.resource('a:1', async () => {
      await Promise.resolve()
      policy.replace([])
      return {
        kind: 'contents',
        contents: [{ uri: 'a:1', text: '' }],
        [Symbol.asyncDispose]: async () => {
          letGo++
          throw new Error('cannot be closed')
        },
      }
    })
    expect((await failure(read(shelf, 'a:1', LOCAL))).code).toBe('not-found')
    expect(letGo).toBe(1)
  })

  it('tells the audit which rule decided, and does not mind its failing', async () => {
    const seen: AccessDecision[] = []
    const rules: readonly AccessRule[] = [
      { name: 'no', deny: 'a:2' },
      { allow: 'a:', who: 'local' },
    ]
    const shelf = createLibrary({ name: 'acme' })
      .resource('a:1', () => '')
      .resource('a:2', () => '')
      .use(
        access({
          rules,
          onDecision: (decision) => {
            seen.push(decision)
            throw new Error('disk full')
          },
        }),
      )
    expect(await listed(shelf, LOCAL)).toEqual(['a:1'])
    expect((await failure(read(shelf, 'b:1', anonymous))).code).toBe('not-found')
    expect(seen).toEqual([
      { principal: LOCAL, operation: 'list', uri: 'a:1', allowed: true, rule: rules[1] },
      { principal: LOCAL, operation: 'list', uri: 'a:2', allowed: false, rule: rules[0] },
      { principal: anonymous, operation: 'read', uri: 'b:1', allowed: false },
    ])
  })

  it('marks nothing as public that differs by principal', async () => {
    const hint = { ttlMs: 5, cacheScope: 'public' } as const
    const shelf = createLibrary({ name: 'acme', listHint: hint })
      .resource('a:1', { hint }, () => '')
      .use(access({ rules: [{ allow: 'any' }] }))
    expect(shelf.listHint).toEqual({ ttlMs: 5, cacheScope: 'private' })
    const result = await shelf.read({ uri: 'a:1', maxBytes: 10 }, as(LOCAL))
    expect(result.kind === 'contents' && result.hint).toEqual({ ttlMs: 5, cacheScope: 'private' })
  })

  it('shows a template of which some URI could be allowed, by what all of them begin with', async () => {
    const templates = ['a://x/{y}', 'a://{x}/y', 'a://z/{y}', 'b:{x}']
    const shown = async (rules: readonly AccessRule[]) => {
      const shelf = createLibrary({ name: 'acme' }).use(access({ rules }))
      for (const template of templates) shelf.template(template, () => '')
      return (await shelf.templates({ limit: 10 }, as(LOCAL))).items.map((item) => item.uriTemplate)
    }
    expect(await shown([{ allow: 'a://x/1' }])).toEqual(['a://x/{y}', 'a://{x}/y'])
    expect(await shown([{ allow: 'a://{any}' }])).toEqual(['a://x/{y}', 'a://{x}/y', 'a://z/{y}'])
    expect(await shown([{ deny: 'a://z/' }, { allow: 'A:' }])).toEqual(['a://x/{y}', 'a://{x}/y'])
    expect(await shown([{ deny: 'a:' }, { allow: 'a://x/1' }])).toEqual([])
    expect(await shown([{ allow: 'any', operations: ['templates'] }])).toEqual([])
    expect(await shown([{ deny: 'any', operations: ['templates'] }, { allow: 'any' }])).toEqual([])
    expect(await shown([])).toEqual([])
  })

  it('completes what leads to something allowed, and counts nothing else', async () => {
    const names = Array.from({ length: 50 }, (_, i) => (i < 40 ? `secret${i}` : `open${i}`))
    const shelf = createLibrary({ name: 'acme' })
      .template('a://{team}/{doc}{?part}', { complete: { team: names, doc: ['x', 'y'], part: ['1'] } }, () => '')
      .template('b:{x}', { complete: { x: ['1'] } }, () => '')
      .use(access({ rules: [{ allow: ['a://open40', 'a://open41/x', 'a://open42'] }] }))
    const complete = (template: string, variable: string, known: Record<string, string> = {}) =>
      shelf.complete({ template, variable, prefix: '', arguments: known, limit: 2 }, as(LOCAL))
    const template = 'a://{team}/{doc}{?part}'
    // Ten times two values are looked at.
    expect(await complete(template, 'team')).toEqual({ values: [], hasMore: false })
    expect(await complete(template, 'doc', { team: 'open40' })).toEqual({ values: ['x', 'y'], hasMore: false })
    expect(await complete(template, 'doc', { team: 'open41' })).toEqual({ values: ['x'], hasMore: false })
    expect(await complete(template, 'doc', { team: 'secret1' })).toEqual({ values: [], hasMore: false })
    expect(await complete(template, 'doc')).toEqual({ values: [], hasMore: false })
    expect(await complete(template, 'part', { team: 'open40', doc: 'x' })).toEqual({ values: ['1'], hasMore: false })
    expect(await complete(template, 'part', { team: 'secret1', doc: 'x' })).toEqual({ values: [], hasMore: false })
    for (const denied of ['b:{x}', 'B:{x}', 'b:1', 'c:{x}', 'a://open40/x'])
      expect((await failure(complete(denied, 'x'))).code).toBe('not-found')
  })

  it('looks for more values until there are enough', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `${i % 3 === 0 ? 'a' : 'b'}${i}`)
    const shelf = createLibrary({ name: 'acme' })
      .template('a://{team}/x', { complete: { team: names } }, () => '')
      .use(
        access({ rules: [{ deny: names.filter((name) => name.startsWith('b')).map((name) => `a://${name}`) }, { allow: 'a:' }] }),
      )
    const complete = (limit: number) =>
      shelf.complete({ template: 'a://{team}/x', variable: 'team', prefix: '', arguments: {}, limit }, as(LOCAL))
    expect(await complete(4)).toEqual({ values: ['a0', 'a3', 'a6', 'a9'], hasMore: true })
    expect(await complete(10)).toMatchObject({ hasMore: false, values: { length: 10 } })
  })

  it.each('abcxyz09-_~%'.split(''))('takes no rule that goes on with %j for one about all before it', async (next) => {
    const last = next === '%' ? '%C3%A9' : next
    const shelf = (...rules: readonly AccessRule[]) =>
      createLibrary({ name: 'acme' })
        .mount(memory({ name: 'm', prefixes: ['m:'], resources: [{ uri: 'm://other', text: '' }] }))
        .template('a://{team}/{doc}', { complete: { doc: ['secret'] } }, () => '')
        .use(access({ rules }))
    const { items } = await shelf({ deny: `m://${last}` }, { allow: 'm://' }).list({ limit: 10 }, as(LOCAL))
    expect(items.map(({ uri }) => uri)).toEqual(['m://other'])
    const request = { template: 'a://{team}/{doc}', variable: 'doc', prefix: '', arguments: {}, limit: 10 }
    expect(await shelf({ allow: `a://${last}` }).complete(request, as(LOCAL))).toEqual({ values: [], hasMore: false })
  })

  it('leaves what a read gives under other URIs to their rules', async () => {
    const shelf = createLibrary({ name: 'acme' })
      .resource('a:all', () => ['a:all', 'a:1', 'b:1'].map((uri) => ({ uri, text: '' })))
      .resource('a:other', () => [{ uri: 'b:1', text: '' }])
      .use(access({ rules: [{ allow: 'a:' }] }))
    expect(await read(shelf, 'A:all', LOCAL)).toEqual(['a:all', 'a:1'])
    expect((await failure(read(shelf, 'a:other', LOCAL))).code).toBe('not-found')
  })

  it('asks nothing of a mount of which a caller may see nothing', async () => {
    const asked: string[] = []
    const failing: Provider = {
      name: 'failing',
      prefixes: ['b:'],
      list: async (_request, { principal }) => {
        asked.push(principal.id)
        throw new ShelfError('unavailable', 'b:secret cannot be reached', { provider: 'failing' })
      },
      read: async ({ uri }) => {
        throw notFound(uri)
      },
    }
    const shelf = (...rules: readonly AccessRule[]) =>
      createLibrary({ name: 'acme' })
        .mount(failing)
        .resource('a:1', () => '')
        .use(access({ rules }))
    const list = async (rule: AccessRule) => await shelf(rule).list({ limit: 10 }, as(LOCAL))
    expect((await list({ allow: 'a:' })).notices).toBeUndefined()
    expect(await shelf().list({ limit: 10 }, as(LOCAL))).toEqual({ items: [] })
    expect(asked).toEqual([])
    const [partly] = (await list({ allow: ['a:', 'b:2'] })).notices ?? []
    expect(partly?.message).toBe('Left out: part of this list cannot be given')
    const [wholly] = (await list({ allow: 'any' })).notices ?? []
    expect(wholly?.message).toBe('Left out: it failed')
  })

  it('decides on mounts by the URIs of the outside, and a Library inside by its own', async () => {
    const inner = createLibrary({ name: 'inner' })
      .mount(memory({ name: 'm', prefixes: ['m:'], resources: ['m:1', 'm:2', 'm:3'].map((uri) => ({ uri, text: '' })) }))
      .use(access({ rules: [{ deny: 'm:1' }, { allow: 'm:' }] }))
    const shelf = createLibrary({ name: 'outer' })
      .mount(inner, { at: 'team' })
      .use(access({ rules: [{ deny: 'team+m:2' }, { allow: 'team+' }] }))
    expect(await listed(shelf, LOCAL)).toEqual(['team+m:3'])
    const tells = (uri: string) => shelf.delivers({ kind: 'updated', uri }, as(LOCAL))
    expect(['team+m:1', 'team+m:2', 'team+m:3', 'm:3'].map(tells)).toEqual([false, false, true, false])
  })

  it('decides on one mount when it is put round that', async () => {
    const policy = access({ rules: [{ allow: 'm:1' }] })
    const shelf = createLibrary({ name: 'acme' })
      .mount(policy(memory({ name: 'm', prefixes: ['m:'], resources: ['m:1', 'm:2'].map((uri) => ({ uri, text: '' })) })))
      .resource('a:1', () => '')
    expect(await listed(shelf, LOCAL)).toEqual(['a:1', 'm:1'])
    const tells = (uri: string) => shelf.delivers({ kind: 'updated', uri }, as(LOCAL))
    expect(['a:1', 'm:1', 'm:2'].map(tells)).toEqual([true, true, false])
    policy.replace([])
    expect(tells('m:1')).toBe(false)
  })
})
