import { ShelfError } from '../../errors.ts'
import { accepts } from './accepted.ts'
import type { Refusal } from './refusal.ts'
import type { HttpRequest } from './request.ts'

/**
 * What can be said of a request that came through the gate, before its body is read: undefined when the body is wanted.
 *
 * @param path where the endpoint is; undefined for everywhere
 */
export function refusalAtDoor(request: HttpRequest, asked: string, path: string | undefined): Refusal | undefined {
  if (path !== undefined && asked !== path) return { status: 404 }
  switch (request.method) {
    case 'POST':
      return refusePost(request)
    case 'GET':
    case 'DELETE':
      return undefined
    default:
      return { status: 405, headers: ['allow', 'POST, GET, DELETE'] }
  }
}

const JSON_TYPE = /^application\/json\s*(;\s*[\w.+-]+\s*=\s*("[^"]*"|[\w.+-]+)\s*)*$/i

function refusePost(request: HttpRequest): Refusal | undefined {
  const type = request.header('content-type') ?? ''
  if (type !== 'application/json' && !JSON_TYPE.test(type)) {
    return { status: 415, error: new ShelfError('invalid-request', 'Content-Type must be application/json', {}) }
  }
  const encoding = request.header('content-encoding')
  if (encoding !== undefined && encoding !== 'identity') {
    return {
      status: 415,
      headers: ['accept-encoding', 'identity'],
      error: new ShelfError('invalid-request', 'Content-Encoding must be identity', {}),
    }
  }
  const { json, events } = accepts(request)
  if (json || events) return undefined
  return { status: 406, error: new ShelfError('invalid-request', 'Accept must list application/json and text/event-stream', {}) }
}
