import { parseArgs } from 'node:util'

/** Options of `shelfmark serve` that take a value, so that it is not taken for a source. */
const options = /** @type {const} */ ({ http: { type: 'string' }, name: { type: 'string' }, 'max-read': { type: 'string' } })

/**
 * What was given to `npm start`, told apart as `shelfmark serve` tells it apart: sources and options in any order. What
 * is wrong with them is for that command to say.
 * @param {readonly string[]} given
 */
export function serveArguments(given) {
  const { tokens } = parseArgs({ args: [...given], options, strict: false, allowPositionals: true, tokens: true })
  /** @type {string[]} */
  const sources = []
  /** @type {string[]} */
  const http = []
  /** @type {string[]} */
  const others = []
  for (const token of tokens) {
    if (token.kind === 'positional') sources.push(token.value)
    if (token.kind !== 'option') continue
    const apart = token.value !== undefined && !token.inlineValue
    const words = given.slice(token.index, token.index + (apart ? 2 : 1))
    ;(token.name === 'http' ? http : others).push(...words)
  }
  return { sources, http, others }
}
