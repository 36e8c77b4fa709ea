import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** What a request asked of the model. */
export interface Asked {
  readonly authorization: string | undefined
  readonly path: string | undefined
  readonly body: { readonly model: string; readonly messages: readonly { readonly role: string; readonly content: string }[] }
}

/** A server that speaks chat completions and answers what it is told to; it goes with the test. */
export async function stubModel(answer: (asked: Asked, response: ServerResponse) => void) {
  const requests: Asked[] = []
  const server = createServer((request: IncomingMessage, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    request.on('end', () => {
      const asked: Asked = {
        authorization: request.headers.authorization,
        path: request.url,
        body: JSON.parse(text) as Asked['body'],
      }
      requests.push(asked)
      answer(asked, response)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests }
}

/** An answer of a model as it comes over HTTP. */
export function completion(response: ServerResponse, message: unknown): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ id: 'c1', choices: [{ index: 0, finish_reason: 'stop', message }] }))
}
