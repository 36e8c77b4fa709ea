import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { pathToFileURL } from 'node:url'
import { cli } from './bundle.mjs'
import { connectHints } from './connect-hints.mjs'
import { at } from './run.mjs'
import { serveArguments } from './serve-arguments.mjs'
import { main, setup } from './setup.mjs'

const defaultPort = 7467
const triedPorts = 20

/** @param {number} port */
const free = (port) =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

async function choosePort() {
  for (let port = defaultPort; port < defaultPort + triedPorts; port++) {
    if (!(await free(port))) continue
    if (port !== defaultPort) process.stderr.write(`Port ${defaultPort} is taken: using ${port}.\n`)
    return port
  }
  throw new Error(
    `Ports ${defaultPort} to ${defaultPort + triedPorts - 1} are all taken: choose one with npm start -- --http <port>`,
  )
}

/**
 * npm keeps options for itself unless `--` stands before them, and takes `--http` for short of `--https-proxy`. What
 * is no proxy's address was meant for the server. A bare port leaves no trace here: for it the hints name the rule.
 * @param {readonly string[]} given
 */
function refuseLostOptions(given) {
  const value = process.env['npm_config_http'] ?? process.env['npm_config_https_proxy']
  if (value === undefined || value.includes('//')) return
  const meant = ['npm start --', given.join(' ') || './folder', '--http', value === 'true' ? defaultPort : value].join(' ')
  throw new Error(`npm took --http for itself. Put -- before what is meant for the server: ${meant}`)
}

/**
 * Prints the hints once, when the server has told its endpoint on stderr.
 * @param {readonly string[]} sources @param {readonly string[]} options those that mean something on stdio too
 */
function hintWhenUp(sources, options) {
  const write = process.stderr.write.bind(process.stderr)
  /** @param {any[]} args @returns {boolean} */
  process.stderr.write = (...args) => {
    const told = Reflect.apply(write, undefined, args)
    const url = /http:\/\/\S+?\/mcp\b/.exec(String(args[0]))?.[0]
    if (url) {
      process.stderr.write = write
      process.stderr.write(connectHints({ url, cli, sources, options }))
    }
    return told
  }
}

await main(async () => {
  const given = process.argv.slice(2)
  refuseLostOptions(given)
  await setup()
  if (!existsSync(cli)) throw new Error('There is no command line to start: src/cli/main.ts is missing')
  // Paths are meant from where npm was called, which npm leaves for the folder of package.json.
  if (process.env['INIT_CWD']) process.chdir(process.env['INIT_CWD'])
  const { sources, http, others } = serveArguments(given)
  if (sources.length === 0) sources.push(at('examples/library'))
  if (http.length === 0) http.push('--http', String(await choosePort()))
  hintWhenUp(sources, others)
  // In this process: whoever ends `npm start` ends the server, and nothing is left behind.
  process.argv = [process.execPath, cli, 'serve', ...others, ...http, '--', ...sources]
  await import(pathToFileURL(cli).href)
})
