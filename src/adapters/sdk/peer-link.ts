import type { Principal } from '../../library/index.ts'
import type { RequestId, UncheckedObject } from '../../protocol/index.ts'
import { CANCELLED, isObject, isRequestId, PROGRESS } from '../../protocol/index.ts'
import { base64Chunks } from '../../runtime/index.ts'
import type { Engine, Frame, Peer, Sink } from '../../server/index.ts'
import type { OfficialNotification } from './official-server.ts'

/** The longest message, in bytes: official clients drop a connection on stdio at 10 MiB. */
const MAX_FRAME = 9.5 * 1024 * 1024

/** An error that an official server answers with: it takes `code`, `message` and `data` as they are. */
export class WireFailure extends Error {
  override readonly name = 'WireFailure'
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}

interface Waiting {
  readonly resolve: (result: UncheckedObject) => void
  readonly reject: (error: unknown) => void
  readonly tell: (notification: OfficialNotification) => void
}

/** One Peer of an Engine without a wire: requests are asked, and what it says unasked is handed on. */
export class PeerLink {
  readonly #peer: Peer
  readonly #sink: Sink
  readonly #waiting = new Map<RequestId, Waiting>()
  readonly #progress = new Map<RequestId, Waiting['tell']>()
  readonly #unasked: (notification: OfficialNotification) => void
  #last: Promise<void> = Promise.resolve()
  #id = 0

  constructor(engine: Engine, principal: Principal, unasked: (notification: OfficialNotification) => void) {
    this.#unasked = unasked
    const deliver = (frame: Frame): Promise<void> => {
      const delivered = this.#last.then(async () => this.#take(typeof frame === 'string' ? frame : await joined(frame)))
      // Bytes that run out half-way make an error answer of their own.
      this.#last = delivered.catch(() => undefined)
      return delivered
    }
    this.#sink = { maxFrame: MAX_FRAME, notify: deliver, respond: deliver, drop: () => undefined }
    this.#peer = engine.openPeer({ principal })
    this.#peer.attach(this.#sink)
  }

  /** Whoever the client is from now on. */
  renew(principal: Principal): void {
    this.#peer.renew(principal)
  }

  notify(notification: OfficialNotification): void {
    this.#peer.receive({ jsonrpc: '2.0', ...notification }, this.#sink)
  }

  /**
   * @param tell gets the progress of this request
   * @throws WireFailure what the Engine answers as an error
   */
  request(
    method: string,
    params: UncheckedObject,
    signal: AbortSignal | undefined,
    tell: (notification: OfficialNotification) => void,
  ): Promise<UncheckedObject> {
    const id = ++this.#id
    const meta = params['_meta']
    const token = isObject(meta) ? meta['progressToken'] : undefined
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.notify({ method: CANCELLED.method, params: { requestId: id } })
        settle(() => reject(signal?.reason))
      }
      const settle = (how: () => void): void => {
        if (!this.#waiting.delete(id)) return
        if (isRequestId(token)) this.#progress.delete(token)
        signal?.removeEventListener('abort', cancel)
        how()
      }
      this.#waiting.set(id, {
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
        tell,
      })
      if (isRequestId(token)) this.#progress.set(token, tell)
      signal?.addEventListener('abort', cancel, { once: true })
      this.#peer.receive({ jsonrpc: '2.0', id, method, params }, this.#sink)
      if (signal?.aborted === true) cancel()
    })
  }

  close(): void {
    this.#peer.close()
  }

  #take(text: string): void {
    const message = JSON.parse(text) as UncheckedObject
    const { id, method, params, result, error } = message
    if (typeof method === 'string') {
      const notification = { method, ...(isObject(params) && { params }) }
      const token = isObject(params) ? params['progressToken'] : undefined
      const tell = method === PROGRESS.method && isRequestId(token) ? this.#progress.get(token) : undefined
      if (tell !== undefined) tell(notification)
      else this.#unasked(notification)
      return
    }
    if (!isRequestId(id)) return
    const waiting = this.#waiting.get(id)
    if (isObject(error)) waiting?.reject(new WireFailure(error as unknown as ConstructorParameters<typeof WireFailure>[0]))
    else waiting?.resolve(isObject(result) ? result : {})
  }
}

async function joined(frame: Exclude<Frame, string>): Promise<string> {
  let text = ''
  for (const piece of frame) {
    if (typeof piece === 'string') text += piece
    else for await (const chunk of base64Chunks(piece.bytes)) text += chunk.toString('latin1')
  }
  return text
}
