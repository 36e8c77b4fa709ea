// A server whose resources change when one of its `do:` resources is read: a switch that works on every transport.
import { createLibrary } from 'shelfmark'
import { serveHttp } from 'shelfmark/transports/http'
import { serveStdio } from 'shelfmark/transports/stdio'

const NAMES = { o1: ['alpha', 'apple'], o2: ['beta'] }
let added = 0

const library = createLibrary({ name: 'fixture', version: '1.0.0' })
  .resource('note:a', () => 'a')
  .resource('note:b', () => 'b')
  .resource('notes:///\u65e5\u672c/\u30e1\u30e2', () => 'memo')
  .template('item:{id}', ({ id }) => id)
  .template('text:{size}', ({ size }) => 'x'.repeat(Number(size)))
  .template('slow:{ms}', async ({ ms }) => {
    await new Promise((resolve) => setTimeout(resolve, Number(ms)))
    return 'late'
  })
  .template(
    'repo://{owner}/{name}',
    {
      complete: {
        owner: ['o1', 'o2'],
        name: (_prefix, { arguments: { owner } }) => (owner === undefined ? Object.values(NAMES).flat() : (NAMES[owner] ?? [])),
      },
    },
    ({ owner, name }) => `${owner}/${name}`,
  )
  .template('do:update/{+uri}', ({ uri }) => {
    library.updated(uri)
    return 'updated'
  })
  .template('do:add/{count}', ({ count }) => {
    for (let i = 0; i < Number(count); i++) library.resource(`added:${added++}`, () => 'new')
    return 'added'
  })
  .template('do:print/{text}', ({ text }) => {
    console.log(text)
    console.info({ text })
    process.stdout.write(text)
    console.error(text)
    return 'printed'
  })

if (process.argv.includes('--http')) {
  const server = await serveHttp(library, { port: 0 })
  process.stdout.write(`${server.url}\n`)
  process.once('SIGTERM', () => server.close().then(() => process.exit(0)))
} else {
  const server = await serveStdio(library)
  process.once('SIGTERM', () => server.close().then(() => process.exit(0)))
}
