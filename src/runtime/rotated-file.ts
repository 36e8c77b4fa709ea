import type { Stats } from 'node:fs'
import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { lstat, open, rename, rm } from 'node:fs/promises'

const { O_RDWR, O_CREAT, O_APPEND } = constants
/** Neither exists on every system. With the second, a pipe that nobody reads is refused instead of waited for. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as { O_NOFOLLOW?: number; O_NONBLOCK?: number }

const END_OF_LINE = 10

/** How far an attempt to append came. */
export interface Appended {
  readonly written: number
  readonly error?: unknown
}

/**
 * A file that lines are appended to, and that makes room for a new one before it grows beyond a size: `log` becomes `log.1`,
 * which becomes `log.2`. It is readable by its owner alone, and no link is followed to it. After a failure, and when the
 * file has been moved or removed, it is opened anew. It is never synchronised with the disk: the system does that.
 */
export class RotatedFile {
  readonly #path: string
  readonly #maxBytes: number
  readonly #files: number
  #handle: FileHandle | undefined
  #stat: Stats | undefined
  #size = 0

  /** @param files how many there are at most, this one included */
  constructor(path: string, maxBytes: number, files: number) {
    this.#path = path
    this.#maxBytes = maxBytes
    this.#files = files
  }

  /** The descriptor, while it is open. */
  get fd(): number | undefined {
    return this.#handle?.fd
  }

  /** Opens it, or makes it. A line that was begun and not ended, by a process that was, is ended. */
  async open(): Promise<void> {
    const handle = await open(this.#path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600)
    try {
      const stat = await handle.stat()
      if (!stat.isFile()) throw new Error(`${this.#path} is no regular file`)
      if ((stat.mode & 0o077) !== 0) await handle.chmod(0o600)
      this.#size = stat.size
      if (stat.size > 0) {
        const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, stat.size - 1)
        if (buffer[0] !== END_OF_LINE) this.#size += (await handle.write('\n')).bytesWritten
      }
      this.#stat = stat
      this.#handle = handle
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** Appends whole lines. Never rejects. */
  async append(bytes: Uint8Array): Promise<Appended> {
    let written = 0
    try {
      const handle = await this.#ready(bytes.length)
      while (written < bytes.length) {
        const step = await handle.write(bytes, written)
        written += step.bytesWritten
        this.#size += step.bytesWritten
      }
      return { written }
    } catch (error) {
      await this.close().catch(() => undefined)
      return { written, error }
    }
  }

  async close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }

  /** A file with room for so many bytes. */
  async #ready(bytes: number): Promise<FileHandle> {
    if (this.#handle !== undefined && !(await this.#isThere())) await this.close()
    if (this.#handle === undefined) await this.open()
    if (this.#size > 0 && this.#size + bytes > this.#maxBytes) {
      await this.close()
      await this.#rotate()
      await this.open()
    }
    if (this.#handle === undefined) throw new Error(`${this.#path} was closed`)
    return this.#handle
  }

  /** Whether the file that is open still is the one of this name. */
  async #isThere(): Promise<boolean> {
    const now = await lstat(this.#path).catch(() => undefined)
    return now?.ino === this.#stat?.ino && now?.dev === this.#stat?.dev
  }

  async #rotate(): Promise<void> {
    if (this.#files === 1) return rm(this.#path)
    for (let i = this.#files - 2; i >= 0; i--) {
      try {
        await rename(i === 0 ? this.#path : `${this.#path}.${i}`, `${this.#path}.${i + 1}`)
      } catch (error) {
        const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
        if (i === 0 || !absent) throw error
      }
    }
  }
}
