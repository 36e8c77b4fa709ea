import { mkdtemp, mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder of files that is gone when it is disposed. */
export interface TemporaryTree extends AsyncDisposable {
  /** Absolute, without symbolic links. */
  readonly root: string
  /** Writes one more file, with its folders. */
  write(path: string, body: string | Uint8Array): Promise<void>
}

/** A new folder below the system's temporary one, with `files` by relative path; a path that ends in `/` is an empty folder. */
export async function openTemporaryTree(files: { readonly [path: string]: string | Uint8Array } = {}): Promise<TemporaryTree> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'shelfmark-')))
  const write = async (path: string, body: string | Uint8Array) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), body)
  }
  for (const [path, body] of Object.entries(files)) {
    if (path.endsWith('/')) await mkdir(join(root, path), { recursive: true })
    else await write(path, body)
  }
  return { root, write, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}
