import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const root = new URL('../', import.meta.url)

/**
 * What each subpath of the package gives at run time, pinned by name: a name that comes or goes is a decision, and is
 * written down here with it.
 */
const surface: Readonly<Record<string, readonly string[]>> = {
  './uri': [],
}

const { exports: subpaths } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  exports: Record<string, { default: string } | string>
}

const modules = Object.entries(subpaths).flatMap(([subpath, target]) => {
  const file = typeof target === 'string' ? undefined : new URL(target.default, root)
  return file && existsSync(file) ? [[subpath, file.href] as const] : []
})

describe('exports', () => {
  test.each(modules)('of %s', async (subpath, file) => {
    const names = Object.keys((await import(file)) as object).toSorted()
    expect(names).toEqual(surface[subpath])
  })

  test('are pinned for nothing that is gone', () => {
    const built = modules.map(([subpath]) => subpath)
    expect(Object.keys(surface).filter((subpath) => !built.includes(subpath))).toEqual([])
  })
})
