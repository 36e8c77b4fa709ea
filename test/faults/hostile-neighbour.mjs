// A server on stdio that does harm in one way, named by its argument, once it has been asked for a list or a read.
import { createInterface } from 'node:readline'

const [, , harm = ''] = process.argv
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const notify = () => send({ method: 'notifications/resources/updated', params: { uri: 'n:1' } })

/** As fast as the other end takes it. */
function pour(stream, text) {
  const more = () => {
    while (stream.write(text));
    stream.once('drain', more)
  }
  more()
}

const HARMS = {
  dies: () => process.exit(3),
  'is killed': () => process.kill(process.pid, 'SIGKILL'),
  'is stopped': () => process.kill(process.pid, 'SIGSTOP'),
  'says nothing': () => undefined,
  'floods notifications': (id) => {
    send({ id, result: { resources: [], contents: [] } })
    const message = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'n:1' } })}\n`
    pour(process.stdout, message.repeat(1_000))
  },
  'floods standard error': () => pour(process.stderr, 'e'.repeat(1 << 20)),
  'writes garbage': () => pour(process.stdout, 'no message\n'.repeat(10_000)),
  'writes an endless line': () => pour(process.stdout, 'x'.repeat(1 << 20)),
  'lists without end': (id, page) =>
    send({ id, result: { resources: [{ uri: `n:${page}`, name: 'n' }], nextCursor: `${page}` } }),
  'lists the same without end': (id) =>
    send({ id, result: { resources: [{ uri: 'n:1', name: 'n' }], nextCursor: `${Math.random()}` } }),
  'answers with what is wrong': (id) =>
    process.stdout.write(
      `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"odd","ttlMs":-1,"resources":[7,{"__proto__":{"a":1}},{"uri":5}],"contents":[{"blob":"&"}],"_meta":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}}}\n`,
    ),
  'answers with very much': (id) =>
    send({
      id,
      result: { resources: Array.from({ length: 20_000 }, (_, i) => ({ uri: `n:${i}`, name: 'n'.repeat(100) })), nextCursor: '' },
    }),
}

let page = 0
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  if (method === 'initialize') {
    send({
      id,
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { resources: { subscribe: true, listChanged: true } },
        serverInfo: { name: 'h', version: '1' },
      },
    })
  } else if (method === 'resources/list' || method === 'resources/read') HARMS[harm]?.(id, ++page)
  else if (method === 'resources/subscribe') {
    send({ id, result: {} })
    notify()
  } else send({ id, error: { code: -32601, message: 'Method not found' } })
})
