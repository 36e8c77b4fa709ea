import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { access, createLibrary } from '../../src/index.ts'
import type { AccessRule } from '../../src/index.ts'
import { files } from '../../src/providers/files/index.ts'
import { temporaryTree } from '../temporary-tree.ts'
import { call, failure, text, uris } from './reading.ts'

async function folder(...rules: readonly AccessRule[]) {
  const { root } = await temporaryTree({ 'docs/a.md': 'A', 'docs/in/b.md': 'B', 'secret/s.md': 'S', 'top.md': 'T' })
  await symlink('../secret/s.md', join(root, 'docs/link.md'))
  await symlink('../secret', join(root, 'docs/linked'))
  const library = createLibrary({ name: 'acme' })
    .mount(files({ root, name: 'r' }))
    .use(access({ rules }))
  const names = (prefix: string) =>
    library.complete({ template: 'file:///r/{+path}', variable: 'path', prefix, arguments: {}, limit: 10 }, call)
  const children = async (uri: string) => (await library.children({ uri, limit: 10 }, call)).items.map((item) => item.uri)
  return { library, names, children }
}

describe('access() to files', () => {
  it('follows a link only to what may be read itself', async () => {
    const { library, names, children } = await folder({ deny: 'file:///r/secret' }, { allow: 'any' })
    expect(await uris(library)).toEqual(['file:///r/docs/a.md', 'file:///r/docs/in/b.md', 'file:///r/top.md'])
    for (const uri of ['docs/link.md', 'docs/linked/s.md', 'secret/s.md'])
      expect((await failure(text(library, `file:///r/${uri}`))).code).toBe('not-found')
    expect(await children('file:///r')).toEqual(['file:///r/docs', 'file:///r/top.md'])
    expect(await children('file:///r/docs')).toEqual(['file:///r/docs/a.md', 'file:///r/docs/in'])
    expect((await failure(children('file:///r/docs/linked'))).code).toBe('not-found')
    expect(await names('docs/')).toEqual({ values: ['docs/a.md', 'docs/in/'], hasMore: false })
    expect(await names('docs/linked/')).toEqual({ values: [], hasMore: false })
  })

  it('lists and completes a part of a folder whose beginning may not be seen', async () => {
    const { library, names, children } = await folder({ allow: 'file:///r/docs/in' })
    expect(await uris(library)).toEqual(['file:///r/docs/in/b.md'])
    expect(await text(library, 'file:///r/docs/in/b.md')).toBe('B')
    expect((await failure(children('file:///r/docs'))).code).toBe('not-found')
    expect(await children('file:///r/docs/in')).toEqual(['file:///r/docs/in/b.md'])
    expect(await names('docs/in/')).toEqual({ values: ['docs/in/b.md'], hasMore: false })
    expect(await names('secret/')).toEqual({ values: [], hasMore: false })
  })
})
