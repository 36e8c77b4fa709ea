import { randomUUID } from 'node:crypto'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { announce, MIME_TYPE, readOrder, resourceName, resourceUri, SERVER, templateText, TEXT } from '../shelf.ts'

/** The official server, version 2: its high-level class, as its documentation wires it. */

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
  const { NodeStreamableHTTPServerTransport, toNodeHandler } = await import('@modelcontextprotocol/node')
  const { createMcpHandler } = await import('@modelcontextprotocol/server')
  const modern = toNodeHandler(createMcpHandler(serverOf))
  let session: InstanceType<typeof NodeStreamableHTTPServerTransport> | undefined
  if (order.era === 'legacy') {
    session = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, enableJsonResponse: true })
    await serverOf().connect(session)
  }
  const server = createServer((request, response) => {
    // The package's own types differ from Node's under exactOptionalPropertyTypes.
    if (session === undefined) void modern(request as Parameters<typeof modern>[0], response)
    else void session.handleRequest(request, response)
  })
  server.listen(0, '127.0.0.1', () => announce((server.address() as { port: number }).port))
}

if (order.transport === 'http') await serveHttp()
else {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
  serveStdio(serverOf)
}
