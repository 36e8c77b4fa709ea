// A server made with tmcp: `stdio`, or `http <port>`. SIGUSR2 changes the note.
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { HttpTransport } from '@tmcp/transport-http'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'

let text = 'one'
const server = new McpServer(
  { name: 'tmcp', version: '1.0.0' },
  { adapter: undefined, capabilities: { resources: { listChanged: true, subscribe: true }, completions: {} } },
)
const contents = (uri, body) => ({ contents: [{ uri, mimeType: 'text/plain', text: body }] })
server.resource({ name: 'note', description: 'A note', uri: 'note://one' }, async (uri) => contents(uri, text))
server.template(
  {
    name: 'notes',
    description: 'Notes by id',
    uri: 'note://by-id/{id}',
    complete: { id: async () => ({ completion: { values: ['a', 'b'] } }) },
  },
  async (uri, { id }) => contents(uri, `note ${String(id)}`),
)
process.on('SIGUSR2', () => {
  text = 'two'
  server.changed('resource', 'note://one')
})

const [kind, port] = process.argv.slice(2)
if (kind === 'http') {
  const transport = new HttpTransport(server, { path: '/mcp' })
  createServer(async (incoming, outgoing) => {
    const body = incoming.method === 'GET' || incoming.method === 'HEAD' ? undefined : Readable.toWeb(incoming)
    const url = `http://${incoming.headers.host}${incoming.url}`
    const answer = await transport.respond(
      new Request(url, { method: incoming.method, headers: incoming.headers, body, duplex: 'half' }),
    )
    outgoing.writeHead(answer?.status ?? 404, Object.fromEntries(answer?.headers ?? []))
    if (answer?.body) Readable.fromWeb(answer.body).pipe(outgoing)
    else outgoing.end()
  }).listen(Number(port), '127.0.0.1')
} else {
  new StdioTransport(server).listen()
}
