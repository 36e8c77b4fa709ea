import { expect, it } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { settingsFrom } from './given.ts'
import type { Origin } from './origin.ts'
import { Reloading } from './reloading.ts'
import { Served } from './served.ts'

it('Reloading reads once for all that ask before it does, and once more for those that ask meanwhile', async () => {
  const { root } = await temporaryTree({ 'a.md': 'a' })
  const settings = settingsFrom({}, [root])
  const served = await Served.try(settings)
  let reads = 0
  const later: Promise<void>[] = []
  const origin: Origin = {
    read: () => {
      if (++reads === 1) for (let i = 0; i < 100; i++) later.push(reloading.reload())
      return settings
    },
    explained: (error) => error,
  }
  const reloading: Reloading = new Reloading({
    path: 'shelfmark.yaml',
    origin,
    served,
    started: settings,
    onMounts: () => undefined,
  })
  await Promise.all(Array.from({ length: 100 }, () => reloading.reload()))
  await Promise.all(later)
  expect(reads).toBe(2)
})
