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

export function lstat(path: string): Promise<fs.Stats> {
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

/**
 * All entries of a large directory. Twice as fast as `readdir`, and other work has its turn between batches; three
 * calls instead of one for a small one.
 */
export function readLargeDirectory(path: string): Promise<fs.Dirent[]> {
  return new Promise((resolve, reject) => {
    fs.opendir(path, { bufferSize: 2_048 }, (failed, directory) => {
      if (failed !== null) return reject(failed)
      const entries: fs.Dirent[] = []
      const next = () =>
        directory.read((error, entry) => {
          if (error === null && entry !== null) {
            entries.push(entry)
            return next()
          }
          return directory.close((unclosed) => {
            const problem = error ?? unclosed
            if (problem == null) resolve(entries)
            else reject(problem)
          })
        })
      return next()
    })
  })
}

export function readdir(path: string): Promise<fs.Dirent[]> {
  return new Promise((resolve, reject) => fs.readdir(path, { withFileTypes: true }, settle(resolve, reject)))
}

/** As `readdir`, with names as the bytes on disk. Node's types have no Dirent of bytes. */
export function readdirBytes(path: string): Promise<{ name: Buffer; entry: fs.Dirent }[]> {
  return new Promise((resolve, reject) => {
    fs.readdir(path, { withFileTypes: true, encoding: 'buffer' as BufferEncoding }, (error, entries) => {
      if (error !== null) reject(error)
      else resolve(entries.map((entry) => ({ name: entry.name as unknown as Buffer, entry })))
    })
  })
}
