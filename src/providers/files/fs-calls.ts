/**
 * The few calls we make, as promises over the callback functions: for a small file the FileHandle of
 * `fs/promises` costs about twice the CPU (100 against 50 microseconds for open, stat, readlink, read, close).
 */
import * as fs from 'node:fs'

type Done<T> = (error: NodeJS.ErrnoException | null, value: T) => void

function settle<T>(resolve: (value: T) => void, reject: (error: Error) => void): Done<T> {
  return (error, value) => {
    if (error === null) resolve(value)
    else reject(error)
  }
}

export function open(path: string, flags: number): Promise<number> {
  return new Promise((resolve, reject) => fs.open(path, flags, settle(resolve, reject)))
}

/** How many bytes came; fewer than `length` at the end of the file. */
export function read(fd: number, into: Uint8Array, offset: number, length: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => fs.read(fd, into, offset, length, position, settle(resolve, reject)))
}

export function lstat(path: string | Buffer): Promise<fs.Stats> {
  return new Promise((resolve, reject) => fs.lstat(path, settle(resolve, reject)))
}

export function stat(path: string): Promise<fs.BigIntStats> {
  return new Promise((resolve, reject) => fs.stat(path, { bigint: true }, settle(resolve, reject)))
}

export function realpath(path: string): Promise<string> {
  return new Promise((resolve, reject) => fs.realpath.native(path, settle(resolve, reject)))
}

export function isReadable(path: string): Promise<boolean> {
  return new Promise((resolve) => fs.access(path, fs.constants.R_OK, (error) => resolve(error === null)))
}

/** Entries of a large directory that are fetched at once. */
const BATCH = 2_048

/**
 * Gives the entries of a directory to `take` until it says false. Names come as bytes, a character each. For a large
 * directory: a third of the time of `readdir` and a sixth of the memory, and other work has its turn between batches.
 */
export function eachEntry(path: string, take: (entry: fs.Dirent) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    fs.opendir(path, { bufferSize: BATCH, encoding: 'latin1' }, (failed, directory) => {
      if (failed !== null) return reject(failed)
      const end = (error: Error | null) =>
        directory.close((unclosed) => {
          const problem = error ?? unclosed
          if (problem == null) resolve()
          else reject(problem)
        })
      // The rest of a batch is there already: a callback for each entry would double the time.
      const rest = () => {
        try {
          for (let i = 1; i < BATCH; i++) {
            const entry = directory.readSync()
            if (entry === null || !take(entry)) return end(null)
          }
        } catch (error) {
          return end(error as Error)
        }
        return next()
      }
      const next = () =>
        directory.read((error, entry) => {
          if (error !== null || entry === null || !take(entry)) return end(error)
          // Until its callback has returned, a read counts as under way.
          return setImmediate(rest)
        })
      return next()
    })
  })
}

/** All entries of a directory, in one call. Names come as bytes, a character each. */
export function readdir(path: string): Promise<fs.Dirent[]> {
  return new Promise((resolve, reject) => {
    fs.readdir(path, { withFileTypes: true, encoding: 'latin1' }, settle(resolve, reject))
  })
}

/** As `readdir`, but names alone. */
export function readNames(path: string): Promise<string[]> {
  return new Promise((resolve, reject) => fs.readdir(path, 'latin1', settle(resolve, reject)))
}
