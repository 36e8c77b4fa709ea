import { describe, expect, it } from 'vitest'
import { createLibrary } from '../../src/index.ts'
import { call, failure } from './reading.ts'

describe('Library.complete()', () => {
  const many = Array.from({ length: 12_345 }, (_, i) => `Item${i}`)
  const library = createLibrary({ name: 'acme' })
    .template(
      'repo://{owner}/{name}',
      {
        list: () => [
          { owner: 'o1', name: 'a' },
          { owner: 'o1', name: 'b' },
          { owner: 'o2', name: 'c' },
        ],
      },
      () => '',
    )
    .template('many://{id}', { complete: { id: many } }, () => '')
    .template(
      'fn://{id}',
      {
        complete: {
          id: (prefix, { arguments: chosen }) => ({ values: [`${prefix}!`, chosen['kind'] ?? 'none'], total: 7, hasMore: true }),
        },
      },
      () => '',
    )
    .template('none://{id}', () => '')
  const complete = (template: string, variable: string, prefix: string, chosen: Record<string, string> = {}) =>
    library.complete({ template, variable, prefix, arguments: chosen, limit: 100 }, call)

  it('narrows by what was chosen before', async () => {
    expect(await complete('repo://{owner}/{name}', 'name', '', { owner: 'o1' })).toEqual({
      values: ['a', 'b'],
      total: 2,
      hasMore: false,
    })
    expect(await complete('repo://{owner}/{name}', 'name', '')).toEqual({ values: ['a', 'b', 'c'], total: 3, hasMore: false })
    expect(await complete('repo://{owner}/{name}', 'owner', 'O')).toEqual({ values: ['o1', 'o2'], total: 2, hasMore: false })
  })

  it('tells how many there are and narrows by prefix whatever the case', async () => {
    expect(await complete('many://{id}', 'id', '')).toMatchObject({ total: 12_345, hasMore: true, values: { length: 100 } })
    expect(await complete('many://{id}', 'id', 'item1234')).toEqual({
      values: ['Item1234', 'Item12340', 'Item12341', 'Item12342', 'Item12343', 'Item12344'],
      total: 6,
      hasMore: false,
    })
  })

  it('uses a Completion as it is, knows a concrete URI, and has nothing where nothing is known', async () => {
    expect(await complete('fn://{id}', 'id', 'x', { kind: 'k' })).toEqual({ values: ['x!', 'k'], total: 7, hasMore: true })
    expect(await complete('many://Item7', 'id', 'Item12344')).toEqual({ values: ['Item12344'], total: 1, hasMore: false })
    expect(await complete('none://{id}', 'id', '')).toEqual({ values: [], total: 0, hasMore: false })
  })

  it('refuses unknown templates and variables', async () => {
    expect((await failure(complete('nope://{id}', 'id', ''))).code).toBe('not-found')
    const error = await failure(complete('repo://{owner}/{name}', 'nmae', ''))
    expect(error).toMatchObject({ code: 'invalid-params' })
    expect(error.message).toContain('owner, name')
  })
})
