// A server made with fastmcp: `stdio`, or `http <port>`. SIGUSR2 changes the log.
import { FastMCP } from 'fastmcp'

let text = 'one'
const server = new FastMCP({ name: 'fast', version: '1.0.0' })
server.addResource({
  uri: 'file:///logs/app.log',
  name: 'Application Logs',
  mimeType: 'text/plain',
  load: async () => ({ text }),
})
server.addResource({
  uri: 'bytes:three',
  name: 'Bytes',
  mimeType: 'application/octet-stream',
  load: async () => ({ blob: 'AAEC' }),
})
server.addResourceTemplate({
  uriTemplate: 'file:///logs/{name}.log',
  name: 'Logs by name',
  mimeType: 'text/plain',
  arguments: [{ name: 'name', required: true, complete: async () => ({ values: ['app', 'web'] }) }],
  load: async ({ name }) => ({ text: `log of ${name}` }),
})
const [kind, port] = process.argv.slice(2)
await server.start(
  kind === 'http'
    ? { transportType: 'httpStream', httpStream: { host: '127.0.0.1', port: Number(port) } }
    : { transportType: 'stdio' },
)
process.on('SIGUSR2', () => {
  text = 'two'
  void server.sendResourceUpdated('file:///logs/app.log')
})
