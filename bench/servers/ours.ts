import { concurrency, createLibrary, deadline } from '../../src/index.ts'
import type { Library } from '../../src/index.ts'
import { MIME_TYPE, announce, readOrder, resourceName, resourceUri, SERVER, templateText, TEXT } from '../shelf.ts'
import type { Stock } from '../shelf.ts'

/** A Library of this repository, on either transport and in both eras. */
async function stock({ resources = 0, templates = 0, folder }: Stock): Promise<Library> {
  const library = createLibrary(SERVER)
  for (let i = 0; i < resources; i++) library.resource(resourceUri(i), { name: resourceName(i), mimeType: MIME_TYPE }, () => TEXT)
  // So that the list is not empty, which would be told on standard error.
  if (templates > 0) library.resource('bench:listed', () => TEXT)
  for (let i = 0; i < templates; i++) library.template(templateText(i), { mimeType: MIME_TYPE }, () => TEXT)
  if (folder !== undefined) {
    const { files } = await import('../../src/providers/files/index.ts')
    library.mount(files({ root: folder, name: 'bench-shelf' }))
  }
  return library
}

const order = readOrder()
const library = await stock(order.stock)
if (order.stock.bounded === true) {
  if (order.transport === 'http') library.use(concurrency())
  library.use(deadline())
}
if (order.transport === 'http') {
  const { serveHttp } = await import('../../src/transports/http/index.ts')
  const { page } = order.stock
  const limits = page === undefined ? {} : { firstPage: page, largestPage: page }
  announce((await serveHttp(library, { port: 0, limits })).port)
} else {
  const { serveStdio } = await import('../../src/transports/stdio/index.ts')
  await serveStdio(library)
}
