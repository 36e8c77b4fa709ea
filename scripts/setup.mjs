import { existsSync, readdirSync, rmSync } from 'node:fs'
import { bundleCli } from './bundle.mjs'
import { install } from './install.mjs'
import { withLock } from './lock.mjs'
import { at, node, root } from './run.mjs'

/** Held while anything is installed or built. @template T @param {() => Promise<T>} work */
export const exclusively = (work) => withLock(at('.setup.lock'), work)

/** Removes what an earlier compile made out of sources that are gone; the compiler leaves it, and it would be published. */
function prune() {
  if (!existsSync(at('dist'))) return
  for (const name of readdirSync(at('dist'), { recursive: true, encoding: 'utf8' })) {
    const source = name.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts')
    if (source !== name && !name.startsWith('bin') && !existsSync(at('src', source))) rmSync(at('dist', name))
  }
}

/** Compiles `src` into `dist`, only what changed. @param {{ capture?: boolean }} [options] */
export function compile(options) {
  prune()
  return node([at('node_modules/typescript/bin/tsc'), '-b', root], options ?? { toStderr: true })
}

/**
 * Brings a clone to where its programs run: packages, compiled sources, command line. Quick when all is there.
 * Type errors are told and end it, unless `tolerant`: then the caller reports them itself.
 * @param {{ tolerant?: boolean }} [options]
 */
export async function setup({ tolerant = false } = {}) {
  await exclusively(async () => {
    await install()
    const { code } = await compile(tolerant ? { capture: true } : undefined)
    if (code !== 0 && !tolerant) throw new Error('The sources do not compile: see above')
    await bundleCli()
  })
}

/** Runs a script's work, which may give an exit code; an error is one line, not a stack. @param {() => Promise<number | void>} work */
export async function main(work) {
  try {
    const code = await work()
    if (code !== undefined) process.exitCode = code
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  }
}
