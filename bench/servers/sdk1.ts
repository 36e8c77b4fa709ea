import { randomUUID } from 'node:crypto'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { announce, MIME_TYPE, readOrder, resourceName, resourceUri, SERVER, templateText, TEXT } from '../shelf.ts'

/** The official server, version 1: its high-level class, one session. It knows the legacy era only. */

const order = readOrder()

function read(uri: URL) {
  return { contents: [{ uri: uri.href, mimeType: MIME_TYPE, text: TEXT }] }
}

function serverOf(): McpServer {
  const { resources = 0, templates = 0 } = order.stock
  const server = new McpServer(SERVER)
  for (let i = 0; i < resources; i++) server.registerResource(resourceName(i), resourceUri(i), { mimeType: MIME_TYPE }, read)
  for (let i = 0; i < templates; i++) {
    server.registerResource(`t${i}`, new ResourceTemplate(templateText(i), { list: undefined }), { mimeType: MIME_TYPE }, read)
  }
  return server
}

async function serveHttp(): Promise<void> {
  const { createServer } = await import('node:http')
  const { StreamableHTTPServerTransport } = await import('@modelcontextprotocol/sdk/server/streamableHttp.js')
  const session = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, enableJsonResponse: true })
  // The class and the interface differ under exactOptionalPropertyTypes.
  const transport: unknown = session
  await serverOf().connect(transport as Transport)
  const server = createServer((request, response) => void session.handleRequest(request, response))
  server.listen(0, '127.0.0.1', () => announce((server.address() as { port: number }).port))
}

if (order.transport === 'http') await serveHttp()
else {
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
  await serverOf().connect(new StdioServerTransport())
}
