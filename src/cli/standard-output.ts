import { once } from 'node:events'
import { printable } from '../runtime/index.ts'

/** What is on standard output is a terminal's, so that what a server sends must not reach it as it is. */
export interface PrintOptions {
  readonly json?: boolean | undefined
  readonly raw?: boolean | undefined
}

/** Whether text is shown to a person, and has to be harmless. */
export function isShown({ raw }: PrintOptions): boolean {
  return process.stdout.isTTY && raw !== true
}

/** One line of a server's words. */
export function lineOf(text: string, options: PrintOptions): string {
  return isShown(options) ? printable(text) : text
}

/** Text of a server, which keeps its lines and tabs. */
export function textOf(text: string, options: PrintOptions): string {
  return isShown(options) ? harmless(text) : text
}

/** Text that keeps its lines and tabs, and does nothing to a terminal. */
export function harmless(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/\r$/, '').split('\t').map(printable).join('\t'))
    .join('\n')
}

/** Writes to standard output, at its pace. */
export async function write(text: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

export function writeLine(text: string): Promise<void> {
  return write(`${text}\n`)
}

/** One JSON value a line; a terminal gets no control characters either way, since JSON escapes them but DEL and C1. */
export function writeJson(value: unknown, options: PrintOptions): Promise<void> {
  return writeLine(lineOf(JSON.stringify(value), options))
}
