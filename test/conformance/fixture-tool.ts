import type { Exchange, Outcome } from '../../src/library/index.ts'

/** What tools and prompts of the fixture use of the request they answer. */
export type Asking = Pick<Exchange, 'answers' | 'clientCapabilities' | 'log' | 'progress'>

/** A tool of the fixture: what it is called with, and what it does. */
export interface FixtureTool {
  readonly name: string
  readonly description: string
  readonly inputSchema?: object
  call(args: { readonly [name: string]: unknown }, asking: Asking): Outcome | Promise<Outcome>
}

/** The result of a tool that says one thing. */
export function said(text: string): Outcome {
  return { kind: 'result', value: { content: [{ type: 'text', text }] } }
}

export function content(...blocks: readonly object[]): Outcome {
  return { kind: 'result', value: { content: blocks } }
}

/** A 1x1 red PNG. */
export const RED_PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

/** A WAV file of no samples. */
export const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='
