import { onTestFinished } from 'vitest'
import { openTemporaryTree } from '../src/testing/index.ts'
import type { TemporaryTree } from '../src/testing/index.ts'

/** A folder of files that goes with the test. */
export async function temporaryTree(entries: Parameters<typeof openTemporaryTree>[0] = {}): Promise<TemporaryTree> {
  const tree = await openTemporaryTree(entries)
  onTestFinished(() => tree[Symbol.asyncDispose]())
  return tree
}
