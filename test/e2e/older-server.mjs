// A careful server of an older SDK: `older-server.mjs 2024-11-05`, as test/peers names it.
import process from 'node:process'

const [, , revision] = process.argv
const sdk = new URL(`../peers/node_modules/sdk-${revision}/dist/`, import.meta.url)
// The oldest has no folder for each form of modules.
const root = revision === '2024-11-05' ? sdk.href : new URL('esm/', sdk).href
const { Server } = await import(`${root}server/index.js`)
const { StdioServerTransport } = await import(`${root}server/stdio.js`)
const types = await import(`${root}types.js`)

const resources = ['a', 'b', 'c'].map((name) => ({ uri: `note:${name}`, name, mimeType: 'text/plain' }))
const refuse = (/** @type {number} */ code, /** @type {string} */ message) => Object.assign(new Error(message), { code })

const server = new Server({ name: 'older', version: '1.0.0' }, { capabilities: { resources: { subscribe: true } } })
/** @typedef {{ params?: { cursor?: string, uri?: string } }} Asked */
server.setRequestHandler(types.ListResourcesRequestSchema, async (/** @type {Asked} */ { params }) => {
  if (params?.cursor === undefined) return { resources: resources.slice(0, 2), nextCursor: 'c' }
  if (params.cursor !== 'c') throw refuse(-32_602, 'Invalid cursor')
  return { resources: resources.slice(2) }
})
server.setRequestHandler(types.ListResourceTemplatesRequestSchema, async () => ({ resourceTemplates: [] }))
server.setRequestHandler(types.ReadResourceRequestSchema, async (/** @type {Asked} */ { params }) => {
  const found = resources.find(({ uri }) => uri === params?.uri)
  if (found === undefined) throw refuse(-32_002, 'Resource not found')
  return { contents: [{ uri: found.uri, mimeType: 'text/plain', text: found.name }] }
})
server.setRequestHandler(types.SubscribeRequestSchema, async () => ({}))
server.setRequestHandler(types.UnsubscribeRequestSchema, async () => ({}))
await server.connect(new StdioServerTransport())
