import { renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { createFakeClock } from '../../testing/index.ts'
import type { FakeClock } from '../../testing/index.ts'
import { FileFollower } from './file-follower.ts'

async function followed(name = 'a.yaml') {
  const { root: path } = await temporaryTree({ 'a.yaml': 'a' })
  const file = join(path, name)
  if (name !== 'a.yaml') symlinkSync('a.yaml', file)
  const clock = createFakeClock()
  let told = 0
  new FileFollower(file, clock).follow(() => told++)
  return { path, file, advance: (ms: number) => moveOn(clock, ms), told: () => told }
}

/** Lets time go on, a fifth of a second after the other, and each look come to its end. */
async function moveOn(clock: FakeClock, ms: number): Promise<void> {
  for (let gone = 0; gone < ms; gone += 200) {
    clock.advance(200)
    await expect.poll(() => clock.pending, { interval: 1 }).toBe(1)
  }
}

describe('FileFollower', () => {
  it('tells of a file that was written, once, when it stays as it is', async () => {
    const { file, advance, told } = await followed()
    await advance(5_000)
    expect(told()).toBe(0)
    writeFileSync(file, 'half')
    await advance(1_000)
    writeFileSync(file, 'half and the rest')
    await advance(200)
    expect(told()).toBe(0)
    await advance(200)
    expect(told()).toBe(1)
    await advance(5_000)
    expect(told()).toBe(1)
  })

  it('tells of another file in its place, of one that is gone, and of one that comes back', async () => {
    const { path, file, advance, told } = await followed()
    writeFileSync(join(path, 'b.yaml'), 'b')
    renameSync(join(path, 'b.yaml'), file)
    await advance(1_200)
    expect(told()).toBe(1)
    rmSync(file)
    await advance(1_200)
    expect(told()).toBe(2)
    await advance(10_000)
    expect(told()).toBe(2)
    writeFileSync(file, 'c')
    await advance(1_200)
    expect(told()).toBe(3)
  })

  it('tells nothing of a file that was gone for a moment, and is the one of before again', async () => {
    const { path, file, advance, told } = await followed()
    renameSync(file, join(path, 'aside'))
    await advance(1_000)
    renameSync(join(path, 'aside'), file)
    await advance(200)
    // Renaming changes when its state was changed last, so that it is told of once at most.
    await advance(5_000)
    expect(told()).toBeLessThanOrEqual(1)
  })

  it('sees contents of the same length, and a link that leads elsewhere', async () => {
    const { path, file, advance, told } = await followed('link.yaml')
    writeFileSync(join(path, 'a.yaml'), 'b')
    utimesSync(join(path, 'a.yaml'), 1, 1)
    await advance(1_200)
    expect(told()).toBe(1)
    writeFileSync(join(path, 'c.yaml'), 'b')
    rmSync(file)
    symlinkSync('c.yaml', file)
    await advance(1_200)
    expect(told()).toBe(2)
  })

  it('sees what changed before it was asked to follow', async () => {
    const { root: path } = await temporaryTree({ 'a.yaml': 'a' })
    const clock = createFakeClock()
    const follower = new FileFollower(join(path, 'a.yaml'), clock)
    writeFileSync(join(path, 'a.yaml'), 'changed')
    let told = 0
    follower.follow(() => told++)
    await moveOn(clock, 1_200)
    expect(told).toBe(1)
  })
})
