// A server of tools alone, over stdio, or HTTP with `--http`: its Library is empty, and what is read is elsewhere.
import { createLibrary } from 'shelfmark'
import { openResourceTools, resourceToolsModule } from 'shelfmark/host/tools'
import { serveHttp } from 'shelfmark/transports/http'
import { serveStdio } from 'shelfmark/transports/stdio'

const TOPICS = [
  'boilers',
  'bicycles',
  'bread',
  'bridges',
  'clocks',
  'cellos',
  'chess',
  'dams',
  'dyes',
  'elevators',
  'ferns',
  'glass',
  'hats',
  'ink',
  'jam',
  'kites',
  'lamps',
  'maps',
  'nets',
  'owls',
]

const shelf = createLibrary({ name: 'shelf' })
for (const [index, topic] of TOPICS.entries()) {
  const secret = topic === 'ferns' ? ' The key is under the blue flowerpot.' : ''
  shelf.resource(`book://${index}`, { title: `All about ${topic}`, mimeType: 'text/plain' }, () => `A book on ${topic}.${secret}`)
}
shelf
  .template(
    'loan://{reader}',
    { title: 'Loans of a reader', description: 'What someone has borrowed', complete: { reader: ['ann', 'bob'] } },
    ({ reader }) => `${reader} has book 3`,
  )
  .template('room://{name}', { title: 'Reading rooms' }, ({ name }) => `Room ${name}`)
  .template('order://{id}', { name: 'order', title: 'Orders of the acquisitions desk' }, ({ id }) => `Order ${id}`)
await shelf.start()

const library = createLibrary({ name: 'tools-alone' })
const modules = [resourceToolsModule(openResourceTools(shelf, { templates: ['order://{id}'] }))]
if (process.argv.includes('--http')) process.stdout.write(`${(await serveHttp(library, { port: 0, modules })).url}\n`)
else await serveStdio(library, { modules })
