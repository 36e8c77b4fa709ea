// An official server, older (v1) or newer (v2), on stdio, on HTTP or on the HTTP+SSE of 2024-11-05: `v1 sse`.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import process from 'node:process'
import * as server2 from '@modelcontextprotocol/server'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

const [, , line, wire] = process.argv
const WHO = { name: `official-${line}`, version: '1.0.0' }

/** @param {URL} uri */
const read = (uri) => ({ contents: [{ uri: uri.href, text: uri.pathname === 'big' ? 'x'.repeat(3_000_000) : 'a' }] })

/** @param {McpServer1 | server2.McpServer} server */
function furnish(server) {
  /** @type {any} */ const plain = server
  plain.registerResource('a', 'note:a', {}, read)
  plain.registerResource('big', 'note:big', {}, read)
  return server
}

const make1 = () => /** @type {McpServer1} */ (furnish(new McpServer1(WHO)))
const make2 = () => /** @type {server2.McpServer} */ (furnish(new server2.McpServer(WHO)))

/** @param {import('node:http').RequestListener} listener */
function listen(listener) {
  const http = createServer(listener)
  http.listen(0, '127.0.0.1', () => process.stderr.write(`http://127.0.0.1:${/** @type {any} */ (http.address()).port}/mcp\n`))
}

/** Legacy sessions, each a server of its own. @param {boolean} newer */
function sessions(newer) {
  /** @type {Map<string, any>} */
  const open = new Map()
  return /** @type {import('node:http').RequestListener} */ async (request, response) => {
    const id = request.headers['mcp-session-id']
    if (typeof id === 'string') {
      const transport = open.get(id)
      if (transport === undefined) response.writeHead(404).end('no such session')
      else await transport.handleRequest(request, response)
      return
    }
    const options = {
      sessionIdGenerator: () => randomUUID(),
      /** @param {string} name */
      onsessioninitialized: (name) => void open.set(name, transport),
      /** @param {string} name */
      onsessionclosed: (name) => void open.delete(name),
    }
    /** @type {any} */
    const transport = newer ? new NodeStreamableHTTPServerTransport(options) : new StreamableHTTPServerTransport(options)
    await (newer ? make2() : make1()).connect(transport)
    await transport.handleRequest(request, response)
  }
}

/** @returns {import('node:http').RequestListener} */
function sse() {
  /** @type {Map<string, SSEServerTransport>} */
  const open = new Map()
  return async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (request.method === 'GET' && url.pathname === '/mcp') {
      const transport = new SSEServerTransport('/messages', response)
      open.set(transport.sessionId, transport)
      await make1().connect(transport)
      return
    }
    const transport = open.get(url.searchParams.get('sessionId') ?? '')
    if (request.method === 'POST' && transport !== undefined) await transport.handlePostMessage(request, response)
    else response.writeHead(404).end('Cannot POST')
  }
}

if (wire === 'sse') listen(sse())
else if (wire === 'session') listen(sessions(line === 'v2'))
else if (wire === 'http') listen(toNodeHandler(server2.createMcpHandler(make2)))
else if (line === 'v2') (await import('@modelcontextprotocol/server/stdio')).serveStdio(make2)
else await make1().connect(new StdioServerTransport())
