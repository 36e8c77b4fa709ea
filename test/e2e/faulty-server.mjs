// Official servers whose authors made mistakes that the SDK lets through, older (v1) or newer (v2), on stdio.
import process from 'node:process'
import { McpServer as McpServer2, ResourceTemplate as ResourceTemplate2 } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { ListResourcesRequestSchema, ReadResourceRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const [, , line] = process.argv

async function startOlder() {
  // A line that a library prints.
  process.stdout.write('Loading resources ...\n')
  const server = new Server({ name: 'faulty-v1', version: '1.0.0' }, { capabilities: { resources: { subscribe: true } } })
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: [
      { uri: 'note:a', name: 'a', mimeType: 'text/markdown', size: 2 },
      { uri: 'note:a', name: 'a again' },
      { uri: 'note:picture', name: 'picture', mimeType: 'image/png' },
      { uri: 'my notes.txt', name: 'path' },
      { uri: 'note:gone', name: 'gone' },
    ],
  }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    if (uri === 'note:a') return { contents: [{ uri, mimeType: 'text/plain', text: 'a' }] }
    if (uri === 'note:picture')
      return { contents: [{ uri, mimeType: 'image/png', blob: Buffer.from([255, 216, 255, 224]).toString('base64url') }] }
    if (uri === 'note:gone') throw new Error(new Error(`ENOENT: no such file or directory, open '/srv/notes/gone'`).stack)
    return { contents: [] }
  })
  await server.connect(new StdioServerTransport())
}

function makeNewer() {
  const server = new McpServer2({ name: 'faulty-v2', version: '1.0.0' })
  server.registerResource('picture', 'note:picture', { mimeType: 'image/jpeg' }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'image/png', text: 'iVBORw0KGgo=' }],
  }))
  server.registerResource('broken', 'note:broken', {}, async () => {
    throw new Error('the database is away')
  })
  server.registerResource(
    'by name',
    new ResourceTemplate2('person:{name}', { list: undefined, complete: { name: () => ['Ada', 'Grace'] } }),
    {},
    async (_, { name }) => {
      throw new Error(`nobody is called ${String(name)}`)
    },
  )
  return server
}

if (line === 'v1') await startOlder()
else serveStdio(makeNewer)
