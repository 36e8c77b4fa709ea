import { MIME_TYPE, resourceName, resourceUri, SERVER, TEXT } from '../shelf.ts'

/** Prints the heap bytes of each of so many registered resources: `heap.ts <who> <how many>`, with --expose-gc. */

const [, , who, text] = process.argv
const count = Number(text)

function read() {
  return TEXT
}

function answer(uri: URL) {
  return { contents: [{ uri: uri.href, mimeType: MIME_TYPE, text: TEXT }] }
}

async function registrar(): Promise<(place: number) => void> {
  if (who === 'ours') {
    const { createLibrary } = await import('../../src/index.ts')
    const library = createLibrary(SERVER)
    return (i) => library.resource(resourceUri(i), { name: resourceName(i), mimeType: MIME_TYPE }, read)
  }
  if (who === 'sdk2') {
    const { McpServer } = await import('@modelcontextprotocol/server')
    const server = new McpServer(SERVER)
    return (i) => server.registerResource(resourceName(i), resourceUri(i), { mimeType: MIME_TYPE }, answer)
  }
  if (who === 'sdk1') {
    const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js')
    const server = new McpServer(SERVER)
    return (i) => server.registerResource(resourceName(i), resourceUri(i), { mimeType: MIME_TYPE }, answer)
  }
  const map = new Map<string, object>()
  return (i) => {
    const uri = resourceUri(i)
    map.set(uri, { uri, name: resourceName(i), mimeType: MIME_TYPE, read })
  }
}

function heap(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const register = await registrar()
register(count)
const before = heap()
for (let i = 0; i < count; i++) register(i)
const after = heap()
register(count + 1)
process.stdout.write(`${JSON.stringify({ each: (after - before) / count })}\n`)
