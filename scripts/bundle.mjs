import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { at, root } from './run.mjs'

export const cliSource = at('src/cli/main.ts')
export const cli = at('dist/bin/shelfmark.js')
const stamp = at('dist/bin/.inputs')

/** Sizes and times of everything the bundle is made of: a removed file counts too, which the newest time alone would miss. */
function inputs() {
  const sources = readdirSync(at('src'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.includes('.test'),
  )
  const files = [
    ...sources.toSorted().map((name) => at('src', name)),
    at('package-lock.json'),
    at('package.json'),
    at('scripts/bundle.mjs'),
  ]
  const hash = createHash('sha256')
  for (const file of files) {
    const { size, mtimeMs } = statSync(file)
    hash.update(`${file}\0${size}\0${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

/** Two tables of two megabytes, which are there once in what is installed. */
const LARGE = ['gpt-tokenizer']

/** Native and large packages, loaded on first use from where they are installed. @returns {string[]} */
function leftOutside() {
  const { optionalDependencies, peerDependencies } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
  return [...Object.keys({ ...optionalDependencies, ...peerDependencies }), ...LARGE]
}

/** @param {readonly string[]} packages */
const external = (packages) => (/** @type {string} */ id) =>
  id.startsWith('node:') || id.endsWith('.node') || packages.some((name) => id === name || id.startsWith(`${name}/`))

/**
 * Bundles the command line into `dist/bin`, dependencies included: a module costs more at start than its code does.
 * Each command, being a dynamic import, is a chunk of its own. Not minified: at 1 MB that changed the start by less
 * than the noise (2.6 to 3.4 s for ten starts with it, 2.8 to 3.2 s without white space), and stack traces stay readable.
 * Does nothing when no input changed; says so when there is no command line to bundle.
 */
export async function bundleCli() {
  if (!existsSync(cliSource)) {
    process.stderr.write('No src/cli/main.ts: the command line is left out.\n')
    return
  }
  const wanted = inputs()
  if (existsSync(cli) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  const { build } = await import('rolldown')
  const { output } = await build({
    cwd: root,
    input: { shelfmark: cliSource },
    platform: 'node',
    external: external(leftOutside()),
    // A package of neither form, but both, says `module` for what can be bundled; its `main` would be loaded at run time.
    resolve: { mainFields: ['module', 'main'] },
    // Nobody imports the command line, so its entry may share what it has with its chunks.
    preserveEntrySignatures: false,
    logLevel: 'warn',
    output: {
      dir: at('dist/bin'),
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      // What every command needs would else fall apart into as many files as there are sets of commands that share them:
      // serving then loads 42 files at its start, and with this one 22.
      codeSplitting: {
        groups: [
          { name: 'core', test: /[\\/]src[\\/](?:uri|protocol|library[\\/][\w-]+\.ts)/, includeDependenciesRecursively: false },
        ],
      },
      comments: { legal: true, annotation: false, jsdoc: false },
    },
  })
  const made = new Set(output.map((file) => file.fileName))
  for (const name of readdirSync(at('dist/bin'))) if (!made.has(name)) rmSync(at('dist/bin', name))
  const text = readFileSync(cli, 'utf8')
  if (!text.startsWith('#!')) writeFileSync(cli, `#!/usr/bin/env node\n${text}`)
  chmodSync(cli, 0o755)
  writeFileSync(stamp, wanted)
}

/** Not what the bundler itself adds for syntax that this Node has not: that is nowhere installed. @param {string} id */
const isPackage = (id) => !/^(?:[./]|\w:\\)/.test(id) && !id.startsWith('\0') && !id.startsWith('@oxc-project/')

/**
 * Makes a TypeScript program of this repository runnable on the Node at hand: one folder of JavaScript that still
 * loads packages from node_modules, with `import.meta.url` as in the source. Returns the file to run.
 * @param {string} source
 */
export async function bundleProgram(source) {
  const { build } = await import('rolldown')
  const name = basename(source, '.ts')
  const dir = at('node_modules/.cache/shelfmark', createHash('sha256').update(source).digest('hex').slice(0, 8))
  mkdirSync(dir, { recursive: true })
  await build({
    cwd: root,
    input: { [name]: source },
    platform: 'node',
    transform: { target: 'node20' },
    external: isPackage,
    logLevel: 'warn',
    plugins: [
      {
        name: 'source-url',
        transform(code, id) {
          if (!code.includes('import.meta.url')) return undefined
          return { code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)), map: null }
        },
      },
    ],
    output: {
      dir,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
      cleanDir: true,
      sourcemap: 'inline',
    },
  })
  return join(dir, `${name}.mjs`)
}
