// For `node --import`: says on standard error which files are loaded as modules, when they are loaded. CommonJS that
// CommonJS requires passes by the hooks, so that loader is asked as well.
import { writeSync } from 'node:fs'
import Module, { register } from 'node:module'
import { pathToFileURL } from 'node:url'

const HOOKS = `
import { writeSync } from 'node:fs'
export async function load(url, context, next) {
  if (url.startsWith('file:')) writeSync(2, 'loaded ' + url + '\\n')
  return next(url, context)
}
`

register(`data:text/javascript,${encodeURIComponent(HOOKS)}`)

const { _extensions: loaders } = Module
for (const [extension, read] of Object.entries(loaders)) {
  loaders[extension] = (module, path) => {
    writeSync(2, `loaded ${pathToFileURL(path).href}\n`)
    return read(module, path)
  }
}
