import { describe, expect, it } from 'vitest'
import { ShelfError } from '../errors.ts'
import { createTemplateTable, expandTemplate, explainMatch, matchTemplate, parseTemplate, templateVariables } from './index.ts'

function codeOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    if (error instanceof ShelfError) return error.details
    throw error
  }
  return undefined
}

describe('the functions on templates, called without types,', () => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [5, '5'],
    [{}, '[object Object]'],
  ])('refuse %j as a template, with reason and offset', (given, shown) => {
    const template = given as string
    const fault = { template: shown, reason: 'no-scheme', offset: 0 }
    expect(codeOf(() => parseTemplate(template))).toEqual(fault)
    expect(codeOf(() => matchTemplate(template, 'a:b'))).toEqual(fault)
    expect(codeOf(() => expandTemplate(template, {}))).toEqual(fault)
    expect(codeOf(() => templateVariables(template))).toEqual(fault)
    expect(codeOf(() => createTemplateTable().add(template, 1))).toEqual(fault)
  })

  it.each([undefined, null, 5, {}])('match %j, which is no URI, never', (given) => {
    const table = createTemplateTable<number>()
    table.add('a:{b}', 1)
    expect(matchTemplate('a:{b}', given as string)).toBeUndefined()
    expect(table.match(given as string)).toBeUndefined()
  })
})

describe('matchTemplate()', () => {
  it('takes any subset of query parameters in any order', () => {
    const template = 'page://{id}{?sel,attrs,limit}'
    expect(matchTemplate(template, 'page://7')).toEqual({ id: '7' })
    expect(matchTemplate(template, 'page://7?limit=5')).toEqual({ id: '7', limit: '5' })
    expect(matchTemplate(template, 'page://7?limit=5&sel=h1')).toEqual({ id: '7', sel: 'h1', limit: '5' })
    expect(matchTemplate(template, 'page://7?sel=&limit=5')).toEqual({ id: '7', sel: '', limit: '5' })
    expect(matchTemplate(template, 'page://7?sel=a%26b')).toEqual({ id: '7', sel: 'a&b' })
    expect(matchTemplate(template, 'page://7?zzz=1')).toBeUndefined()
  })

  it('gives keys in the order of the template, whatever the order of the query', () => {
    expect(Object.keys(matchTemplate('page://{id}{?sel,attrs*,limit}', 'page://7?limit=5&attrs=1&sel=h1') ?? {})).toEqual([
      'id',
      'sel',
      'attrs',
      'limit',
    ])
  })

  it('ignores unknown parameters where it is told to', () => {
    const ignore = { unknownParameters: 'ignore' } as const
    expect(matchTemplate('q://h{?a}', 'q://h?b=1&a=2&b=3&', ignore)).toEqual({ a: '2' })
    expect(matchTemplate('q://h{?a}', 'q://h?', ignore)).toEqual({})
    expect(matchTemplate('q://{id}', 'q://h?b=1', ignore)).toEqual({ id: 'h' })
    expect(matchTemplate('q://h?f=1{&a}', 'q://h?b=1', ignore)).toBeUndefined()
    expect(matchTemplate('q://h{?a}', 'q://h?a=1&a=2', ignore)).toBeUndefined()
    expect(matchTemplate('q://h{?a}', 'q://h?b=1', { unknownParameters: 'refuse' })).toBeUndefined()
  })

  it('takes literal text as literal', () => {
    for (const character of '.+()[]$*') {
      const template = `data://v1${character}0/{id}`
      expect(matchTemplate(template, `data://v1${character}0/42`)).toEqual({ id: '42' })
      expect(matchTemplate(template, 'data://v1X0/42')).toBeUndefined()
    }
    for (const character of '^|\\') {
      const template = `data://v1${character}0/{id}`
      expect(matchTemplate(template, `data://v1${encodeURIComponent(character)}0/42`)).toEqual({ id: '42' })
      expect(matchTemplate(template, 'data://v1X0/42')).toBeUndefined()
    }
  })

  it('matches zero, one and five segments', () => {
    const template = 'repo://{owner}/{name}/contents{/path*}'
    expect(matchTemplate(template, 'repo://o/n/contents')).toEqual({ owner: 'o', name: 'n' })
    expect(matchTemplate(template, 'repo://o/n/contents/a')).toEqual({ owner: 'o', name: 'n', path: ['a'] })
    expect(matchTemplate(template, 'repo://o/n/contents/a/b/c/d/e')).toEqual({
      owner: 'o',
      name: 'n',
      path: ['a', 'b', 'c', 'd', 'e'],
    })
  })

  it('compares a static URI whole, in normal form', () => {
    expect(matchTemplate('conf://main?x=1', 'CONF://m%61in?x=1')).toEqual({})
    expect(matchTemplate('conf://main', 'conf://main?x=1')).toBeUndefined()
    expect(matchTemplate('https://H.test/A', 'https://h.TEST/A')).toEqual({})
    expect(matchTemplate('https://H.test/A', 'https://h.TEST/a')).toBeUndefined()
    expect(matchTemplate('wiki://Page', 'wiki://page')).toBeUndefined()
  })

  it('compares the host of http(s) without case, and nothing else of it', () => {
    expect(matchTemplate('https://Docs{+rest}.MD', 'https://dOCSx.md')).toEqual({ rest: 'x' })
    expect(matchTemplate('https://Docs{+rest}.MD', 'https://dOCS/x.MD')).toEqual({ rest: '/x' })
    expect(matchTemplate('https://Docs{+rest}.MD', 'https://dOCS/x.md')).toBeUndefined()
    expect(matchTemplate('https://{a}a{b}', 'https://xa%C3%A9')).toEqual({ a: 'x', b: 'é' })
    expect(matchTemplate('https:{/a,b}/Docs', 'https://Docs')).toEqual({ a: '' })
    expect(matchTemplate('https://h{?A}', 'https://H?A=Q')).toEqual({ A: 'Q' })
  })

  it('never keeps state from one URI to the next', () => {
    const template = 'a://{x}{.y,z}{?q}'
    expect(matchTemplate(template, 'a://1.2.3?q=4')).toEqual({ x: '1', y: '2', z: '3', q: '4' })
    expect(matchTemplate(template, 'a://1')).toEqual({ x: '1' })
    expect(matchTemplate(template, 'a://1%FF.2')).toBeUndefined()
    expect(matchTemplate(template, 'a://1')).toEqual({ x: '1' })
  })

  it('compiles a parsed template once and takes text as well', () => {
    const template = parseTemplate('note://{id}')
    expect(matchTemplate(template, 'note://1')).toEqual({ id: '1' })
    expect(matchTemplate(template, 'note://2')).toEqual({ id: '2' })
  })
})

describe('parseTemplate()', () => {
  it('keeps a foreign template that cannot be matched, to be expanded', () => {
    expect(expandTemplate('/search/{q}', { q: 'a b' })).toBe('/search/a%20b')
    expect(codeOf(() => matchTemplate('/search/{q}', 'x://a'))).toEqual({
      template: '/search/{q}',
      reason: 'no-scheme',
      offset: 0,
    })
    expect(codeOf(() => parseTemplate('bad{'))).toEqual({ template: 'bad{', reason: 'unclosed', offset: 3 })
  })

  it('names template and offset in the message', () => {
    expect(() => parseTemplate('x://{user-id}')).toThrow('Template `x://{user-id}` is refused at offset 9 (name)')
  })

  it('takes 65,536 characters, of which 2,048 may be matched', () => {
    expect(parseTemplate(`x:${'a'.repeat(65_534)}`).parts).toHaveLength(1)
    expect(codeOf(() => parseTemplate(`x:${'a'.repeat(65_535)}`))).toMatchObject({ reason: 'length', offset: 65_536 })
    expect(matchTemplate(`x:${'a'.repeat(2043)}{b}`, 'x:a')).toBeUndefined()
    expect(codeOf(() => matchTemplate(`x:${'a'.repeat(2044)}{b}`, 'x:a'))).toMatchObject({ reason: 'length', offset: 2048 })
  })
})

describe('expandTemplate()', () => {
  it('leaves out what is absent', () => {
    const template = 'ev://list{/day*}{?topic,lang}'
    expect(expandTemplate(template, { topic: 'a/b c', day: ['1', '2'] })).toBe('ev://list/1/2?topic=a%2Fb%20c')
    expect(expandTemplate(template, {})).toBe('ev://list')
    expect(templateVariables(template).map(({ name }) => name)).toEqual(['day', 'topic', 'lang'])
  })

  it('prints numbers and booleans as text', () => {
    expect(expandTemplate('x://{a}{?b,c}', { a: 0, b: false, c: undefined }, { reversible: true })).toBe('x://0?b=false')
  })

  it('names the variable that does not come back', () => {
    const reversible = { reversible: true } as const
    const template = 'x://{a}-{b}{?c}'
    expect(codeOf(() => expandTemplate(template, { a: 'p', b: 'q-r' }, reversible))).toEqual({
      template,
      variable: 'b',
      reason: 'separator',
    })
    expect(codeOf(() => expandTemplate(template, { a: 'p', b: '' }, reversible))).toEqual({
      template,
      variable: 'b',
      reason: 'empty',
    })
    expect(codeOf(() => expandTemplate<string>(template, { a: 'p', b: 'q', d: '1' }, reversible))).toEqual({
      template,
      variable: 'd',
      reason: 'absent',
    })
    expect(codeOf(() => expandTemplate(template, { a: 'p\ud800', b: 'q' }))).toEqual({ template, variable: 'a', reason: 'type' })
  })
})

describe('templateVariables()', () => {
  it('lists names once, with kind and exceptions', () => {
    expect(templateVariables('x://{a}{/b,c*}{?d,a}')).toEqual([
      { name: 'a', required: true, list: false, exceptions: ['nul', 'map', 'list', 'absent', 'empty'] },
      { name: 'b', required: false, list: false, exceptions: ['nul', 'map', 'list', 'gap'] },
      { name: 'c', required: false, list: true, exceptions: ['nul', 'map', 'empty'] },
      { name: 'd', required: false, list: false, exceptions: ['nul', 'map', 'list'] },
    ])
    expect(templateVariables('x://{+p}/-/{+f}').map(({ exceptions }) => exceptions)).toEqual([
      ['nul', 'map', 'list', 'absent', 'empty', 'triplet', 'reserved'],
      ['nul', 'map', 'list', 'absent', 'empty', 'triplet', 'reserved', 'separator'],
    ])
  })

  it('promises nothing of a template that only parses', () => {
    expect(templateVariables('/{a}{b:3}')).toEqual([
      { name: 'a', required: true, list: false, exceptions: [] },
      { name: 'b', required: true, list: false, exceptions: [] },
    ])
  })

  it('takes a prefix for nothing beside the full value', () => {
    expect(templateVariables('x://{h:2}{?h}')).toMatchObject([{ name: 'h', required: false }])
    expect(templateVariables('x://{h:2}/{h}')).toMatchObject([{ name: 'h', required: true }])
  })
})

describe('explainMatch()', () => {
  it('names component, offset and the known parameters', () => {
    const template = 'page://{id}/x{?sel,limit}'
    expect(explainMatch(template, 'page://7/x?limit=1')).toBeUndefined()
    expect(explainMatch(template, 'page://7/%zz')).toEqual({ component: 'uri', offset: 9, names: [] })
    expect(explainMatch(template, 'pages://7/x')).toEqual({ component: 'scheme', offset: 0, names: [] })
    expect(explainMatch(template, 'page://7/y')).toEqual({ component: 'path', offset: 9, names: [] })
    expect(explainMatch(template, 'page://7/x/z')).toEqual({ component: 'path', offset: 10, names: [] })
    expect(explainMatch(template, 'page://7/x?sel=1&limt=5')).toEqual({ component: 'query', offset: 17, names: ['sel', 'limit'] })
    expect(explainMatch(template, 'page://7/x#top')).toEqual({ component: 'fragment', offset: 10, names: [] })
    expect(explainMatch('x://{a}/{a}', 'x://1/2')).toEqual({ component: 'values', offset: 2, names: [] })
    expect(explainMatch('conf://main', 'conf://main?x=1')).toEqual({ component: 'query', offset: 11, names: [] })
  })
})

describe('createTemplateTable()', () => {
  it('finds each of 50 templates of differing shape, also after one is removed', () => {
    const table = createTemplateTable<number>()
    const templates = Array.from(
      { length: 50 },
      (_, i) => [`k${i}://{a}`, `s://k${i}/{a}`, `s://x/k${i}-{a}`, `s://{+a}/k${i}`, `s://y/{a}?k=${i}{&b}`][i % 5] as string,
    )
    templates.forEach((template, i) => table.add(template, i))
    const uriOf = (template: string): string => expandTemplate<string>(template, { a: '7' })
    for (const [i, template] of templates.entries()) {
      expect(table.match(uriOf(template))).toEqual({ value: i, variables: { a: '7' }, template })
    }
    expect(table.remove(templates[0] as string)).toBe(true)
    expect(table.match(uriOf(templates[0] as string))).toBeUndefined()
    for (const [i, template] of templates.entries()) if (i > 0) expect(table.match(uriOf(template))?.value).toBe(i)
    expect([...table].map(([template]) => template)).toEqual(templates.slice(1))
    expect(table.size).toBe(49)
  })

  it('puts a template that ignores unknown parameters behind one that does not', () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const table = createTemplateTable<number>()
      for (const i of order) {
        if (i === 0) table.add('q://{id}', 0, { unknownParameters: 'ignore' })
        else table.add('q://{id}{?a}', 1)
      }
      expect(table.match('q://7')?.value).toBe(1)
      expect(table.match('q://7?a=1')?.value).toBe(1)
      expect(table.match('q://7?b=1')?.value).toBe(0)
    }
  })

  it('refuses the 65th template of one head, unless a fixed parameter tells them apart', () => {
    const table = createTemplateTable<number>()
    for (let i = 0; i < 200; i++) table.add(`q://{id}?v=1&kind=k${i}{&a}`, i)
    expect(table.match('q://7?a=1&kind=k150&v=1')).toEqual({
      value: 150,
      variables: { id: '7', a: '1' },
      template: 'q://{id}?v=1&kind=k150{&a}',
    })
    for (let i = 0; i < 64; i++) table.add(`q://{id}?p${i}={a}`, i)
    expect(codeOf(() => table.add('q://{id}?p64={a}', 64))).toMatchObject({
      reason: 'crowd',
      offset: 0,
      template: 'q://{id}?p64={a}',
    })
    expect(table.match('q://7?p63=x')?.value).toBe(63)
    expect(table.remove('q://{id}?p0={a}')).toBe(true)
    table.add('q://{id}?p64={a}', 64)
    expect(table.match('q://7?p64=x')?.value).toBe(64)
  })

  it('answers undefined for any URI when empty, and for what is no URI', () => {
    const table = createTemplateTable<number>()
    expect(table.match('x://a')).toBeUndefined()
    table.add('x://a', 1)
    expect(table.match('x:/{')).toBeUndefined()
    expect(table.match('X://a')).toEqual({ value: 1, variables: {}, template: 'x://a' })
  })
})
