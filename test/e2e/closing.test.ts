import { expect, it } from 'vitest'
import { run } from './command-line.ts'

const dist = (path: string): string => JSON.stringify(new URL(`../../dist/${path}`, import.meta.url).href)

it('serveHttp() is closed before its process ends by itself, so that what waits for that is done', async () => {
  const script = `
    import { createLibrary } from ${dist('index.js')}
    import { serveHttp } from ${dist('transports/http/index.js')}
    const server = await serveHttp(createLibrary({ name: 'a' }).resource('x:1', () => ''), { port: 0 })
    await server.close()
    process.stdout.write('closed')`
  expect(await run(['--input-type=module', '-e', script]).ended).toMatchObject({ code: 0, stdout: 'closed' })
})

it('openSearch() keeps a process that waits for what changed, and none that does not', async () => {
  const script = `
    import { localCall } from ${dist('index.js')}
    import { openSearch } from ${dist('host/index.js')}
    import { memory } from ${dist('providers/memory/index.js')}
    const provider = memory({ resources: Array.from({ length: 3_000 }, (_, i) => ({ uri: 'x:' + i, text: 'word' })) })
    const search = await openSearch(provider, localCall())
    await search.ready
    for (let i = 0; i < 3; i++) {
      provider.add({ uri: 'y:' + i, text: 'word' })
      await search.upToDate()
    }
    process.stdout.write(String(search.size))`
  expect(await run(['--input-type=module', '-e', script]).ended).toMatchObject({ code: 0, stdout: '3003' })
})
