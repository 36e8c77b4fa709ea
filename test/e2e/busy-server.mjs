// A server that is soon busy: `slow:` holds its one slot until `go:` is read, and `few:` may be read once an hour.
import { concurrency, createLibrary, definePolicy, rate } from 'shelfmark'
import { memory } from 'shelfmark/providers/memory'
import { serveHttp } from 'shelfmark/transports/http'
import { serveStdio } from 'shelfmark/transports/stdio'

let go
const gate = new Promise((resolve) => {
  go = resolve
})
const slow = definePolicy({
  name: 'slow',
  around: async (_step, _call, next) => {
    await gate
    return next()
  },
})
const alice = { id: 'alice', kind: 'authenticated', scopes: [], claims: {} }
const asAlice = definePolicy({
  name: 'as-alice',
  around: (_step, call, next) => next({ principal: alice, signal: call.signal, allows: () => true }),
})
const one = (name) => memory({ name, resources: [{ uri: `${name}:1`, text: name }] })

const library = createLibrary({ name: 'busy', version: '1.0.0' })
  .mount(concurrency({ total: 1, queue: 0 })(slow(one('slow'))))
  .mount(asAlice(rate({ perSecond: 1 / 3600, burst: 1 })(one('few'))))
  .resource('go:', () => {
    go()
    return 'gone'
  })

if (process.argv.includes('--http')) {
  const server = await serveHttp(library, { port: 0 })
  process.stdout.write(`${server.url}\n`)
} else await serveStdio(library)
