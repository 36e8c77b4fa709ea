import { completable, createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { createLibrary } from 'shelfmark'
import { openSdkLibrary } from 'shelfmark/adapters/sdk'
import { z } from 'zod'

/** A server of the official package, whose resources come from a Library. */
export function deskServer() {
  const library = createLibrary({ name: 'desk' })
    .resource('desk://hours', { mimeType: 'text/plain' }, () => 'Monday to Friday, 9 to 18')
    .template('ticket://{id}', { title: 'Ticket', complete: { id: ['7', '8'] } }, ({ id }) => `The lamp of ${id} is out`)
  const shelf = openSdkLibrary(library)

  const makeServer = (): McpServer => {
    const server = new McpServer({ name: 'desk', version: '1.0.0' })
    shelf.addTo(server)
    server.registerTool('close_ticket', { inputSchema: z.object({ id: z.string() }) }, ({ id }) => ({
      content: [{ type: 'text', text: `Closed ${id}` }],
    }))
    const argsSchema = z.object({ tone: completable(z.string(), () => ['kind', 'brief']) })
    server.registerPrompt('answer', { argsSchema }, ({ tone }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `Answer in a ${tone} tone` } }],
    }))
    return server
  }

  const handler = createMcpHandler(makeServer)
  return { library, shelf, makeServer, handler, announced: shelf.announce(handler.notify) }
}
