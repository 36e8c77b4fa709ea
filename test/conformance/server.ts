import { createLibrary } from '../../src/index.ts'
import { serveHttp } from '../../src/transports/http/index.ts'
import { RED_PIXEL } from './fixture-tool.ts'
import { promptsModule } from './prompts-module.ts'
import { toolsModule } from './tools-module.ts'

/** The server that the official conformance suite talks to: a Library, with the suite's tools and prompts as modules. */
const library = createLibrary({ name: 'shelfmark-conformance', version: '1.0.0' })
  .resource(
    'test://static-text',
    { title: 'Static text', mimeType: 'text/plain' },
    () => 'This is the content of the static text resource.',
  )
  .resource('test://static-binary', { title: 'Static binary', mimeType: 'image/png' }, () => Buffer.from(RED_PIXEL, 'base64'))
  .resource('test://watched-resource', { title: 'Watched resource', mimeType: 'text/plain' }, () => 'Watch me.')
  .template('test://template/{id}/data', { title: 'Template', mimeType: 'application/json' }, ({ id }) => ({
    id,
    templateTest: true,
    data: `Data for ID: ${id}`,
  }))

const at = process.argv.indexOf('--port')
const port = at < 0 ? 0 : Number(process.argv[at + 1])
const server = await serveHttp(library, { port, modules: [toolsModule(), promptsModule()] })
process.stdout.write(`listening ${server.url}\n`)
process.on('SIGTERM', () => {
  server.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
