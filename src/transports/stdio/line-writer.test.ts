import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { LineWriter } from './line-writer.ts'

/** A destination that counts writes and can refuse to take more. */
class Destination extends Writable {
  text = ''
  writes = 0
  #hold: (() => void) | undefined
  held = false

  constructor() {
    super({ highWaterMark: 1000 })
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.writes++
    this.text += chunk.toString()
    if (this.held) this.#hold = done
    else done()
  }

  open(): void {
    this.held = false
    this.#hold?.()
    this.#hold = undefined
  }
}

describe('LineWriter', () => {
  it('writes the messages of one turn at once', async () => {
    const out = new Destination()
    const writer = new LineWriter(out)
    for (let i = 0; i < 50; i++) expect(writer.write(`{"id":${i}}`)).toBeUndefined()
    await writer.flush()
    expect(out.writes).toBe(1)
    expect(out.text.split('\n')).toHaveLength(51)
  })

  it('keeps the order of text and of bytes that are read while they are sent', async () => {
    const out = new Destination()
    const writer = new LineWriter(out)
    const slow = {
      size: 4,
      async *open() {
        yield Uint8Array.of(1)
        await new Promise((resolve) => {
          setTimeout(resolve, 10)
        })
        yield Uint8Array.of(2, 3, 4)
      },
    }
    void writer.write('1')
    void writer.write(['"', { bytes: slow }, '"'])
    void writer.write('2')
    void writer.write(['"', { bytes: Uint8Array.of(255) }, '"'])
    await writer.flush()
    expect(out.text).toBe('1\n"AQIDBA=="\n2\n"/w=="\n')
  })

  it('ends the line of a source that fails, and says so', async () => {
    const out = new Destination()
    const writer = new LineWriter(out)
    const short = {
      size: 9,
      async *open() {
        yield new Uint8Array(3)
      },
    }
    await expect(writer.write(['{"blob":"', { bytes: short }, '"}'])).rejects.toThrow('a source of 9 bytes gave 3')
    void writer.write('next')
    await writer.flush()
    expect(out.text).toBe('{"blob":"AAAA\nnext\n')
  })

  it('tells when the destination is full, and when there is room again', async () => {
    const out = new Destination()
    out.held = true
    const writer = new LineWriter(out)
    void writer.write('x'.repeat(2000))
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    let room = false
    const waiting = writer.write('y')
    expect(waiting).toBeInstanceOf(Promise)
    void (waiting as Promise<void>).then(() => {
      room = true
    })
    await Promise.resolve()
    expect(room).toBe(false)
    out.open()
    await waiting
    await writer.flush()
    expect(out.text.endsWith('x\ny\n')).toBe(true)
  })

  it('is silent once it is stopped', async () => {
    const out = new Destination()
    const writer = new LineWriter(out)
    void writer.write('lost')
    writer.stop()
    expect(writer.write('lost too')).toBeUndefined()
    await writer.flush()
    expect(out.text).toBe('')
  })
})
