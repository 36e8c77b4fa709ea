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
