import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestContext } from 'vitest'
import type { Change, Watcher } from '../src/library/index.ts'
import { files } from '../src/providers/files/index.ts'
import type { FilesOptions } from '../src/providers/files/index.ts'

/** A folder that is watched, and what its watch tells. */
export interface Watched {
  readonly root: string
  readonly watcher: Watcher
  /** All that was told since the last `after`. */
  readonly changes: readonly Change[]
  /** What is told of what `act` does, once nothing more comes: `updated <path>` and `list <path>`. */
  readonly after: (act: () => void | PromiseLike<void>) => Promise<string[]>
}

const TREE = { 'a.txt': 'a', 'b.txt': 'b', 'sub/x.txt': 'x', 'sub/deep/y.txt': 'y', 'empty/.keep': '' }

/** A folder with a few files that goes with the test, watched. */
export async function watched(
  context: TestContext,
  options: Omit<FilesOptions, 'root'> & { readonly listen?: readonly string[] } = {},
): Promise<Watched> {
  const root = fs.mkdtempSync(join(tmpdir(), 'shelfmark-watch-'))
  for (const [path, text] of Object.entries(TREE)) {
    fs.mkdirSync(join(root, path, '..'), { recursive: true })
    fs.writeFileSync(join(root, path), text)
  }
  const { listen = [], ...rest } = options
  const provider = files({ root, name: 'r', ...rest })
  const changes: Change[] = []
  const watcher = await provider.watch((change) => changes.push(change))
  context.onTestFinished(async () => {
    await watcher[Symbol.asyncDispose]()
    fs.rmSync(root, { recursive: true, force: true })
  })
  for (const path of listen) await watcher.add(`file:///r/${path}`)
  const said = (change: Change) => {
    const uri = change.kind === 'updated' ? change.uri : (change.under ?? '')
    return `${change.kind} ${uri.replace(/^file:\/\/\/r\/?/, '')}`.trimEnd()
  }
  return {
    root,
    watcher,
    changes,
    after: async (act) => {
      changes.length = 0
      await act()
      const quiet = options.poll === true ? 1_500 : 800
      // Twice as long when nothing was told at all: on a busy machine the first word takes longest.
      for (let seen = -1, idle = 0; idle < (changes.length === 0 ? 2 : 1);) {
        seen = changes.length
        await pause(quiet)
        idle = seen === changes.length ? idle + 1 : 0
      }
      return changes.map(said).toSorted()
    },
  }
}

export const at = (root: string, path: string) => join(root, path)
export const write = (root: string, path: string, text: string) => fs.writeFileSync(at(root, path), text)
