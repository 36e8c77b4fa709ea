import { serveHttp } from '../../src/transports/http/index.ts'
import { fixtureLibrary, portOf } from './fixture-library.ts'
import { promptsModule } from './prompts-module.ts'
import { toolsModule } from './tools-module.ts'

/** The server that the official conformance suite talks to: a Library, with the suite's tools and prompts as modules. */
const modules = [toolsModule(), promptsModule()]
const server = await serveHttp(fixtureLibrary(), { port: portOf(process.argv), modules })
process.stdout.write(`listening ${server.url}\n`)
process.on('SIGTERM', () => {
  server.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
