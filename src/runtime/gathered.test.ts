import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { Gathered } from './gathered.ts'

function memory(): number {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

describe('Gathered', () => {
  it('Gathered gives all bytes in their order, however many pieces they came in, and then has none', () => {
    const gathered = new Gathered()
    for (let i = 0; i < 5_000; i++) gathered.add(Uint8Array.of(i % 251))
    gathered.add(new Uint8Array())
    gathered.add(Uint8Array.of(1, 2, 3))
    expect(gathered.size).toBe(5_003)
    expect(gathered.take()).toEqual(Buffer.from([...Array.from({ length: 5_000 }, (_, i) => i % 251), 1, 2, 3]))
    expect([gathered.size, gathered.take().length]).toEqual([0, 0])
  })

  it('Gathered gives a lone piece as it is, and forgets what it is told to', () => {
    const gathered = new Gathered()
    gathered.add(Buffer.from('lost'))
    gathered.clear()
    const piece = Buffer.from('kept')
    gathered.add(piece)
    expect(gathered.take()).toBe(piece)
  })

  it('Gathered keeps little more than the bytes of pieces of one byte', () => {
    const gathered = new Gathered()
    const before = memory()
    for (let i = 0; i < 500_000; i++) gathered.add(Buffer.alloc(1))
    expect(memory() - before).toBeLessThan(5_000_000)
    expect(gathered.size).toBe(500_000)
  })
})
