import type { HttpRequest } from './request.ts'

/** Which forms of answer a client takes. */
export interface Accepted {
  readonly json: boolean
  readonly events: boolean
}

/** What the `Accept` header says; without one all is taken. */
export function accepts(request: HttpRequest): Accepted {
  const accept = request.header('accept')
  if (accept === undefined) return { json: true, events: true }
  const any = accept.includes('*/*')
  return {
    json: any || accept.includes('application/json') || accept.includes('application/*'),
    events: any || accept.includes('text/event-stream') || accept.includes('text/*'),
  }
}
