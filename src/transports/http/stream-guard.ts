import type { Principal } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'
import type { Identity } from './identity.ts'

/** How often it is asked who a stream is of: so long a token that was withdrawn may still be told of changes. */
const ASK_MS = 30_000

/** A stream, and with what it was opened. */
export interface GuardedStream {
  readonly authorization: string | undefined
  readonly principal: Principal
  /** Ends it so that the client comes again, and learns then that its token is no longer good. */
  readonly end: () => void
}

/**
 * Ends a stream when its token expires, or is nobody's any more. Until the returned function is called.
 *
 * @param identityOf what knows whose a token is at the moment; nothing does where everybody is the local user
 */
export function guardStream(
  { authorization, principal, end }: GuardedStream,
  identityOf: () => Identity | undefined,
  clock: Clock,
): () => void {
  let over = false
  let stop: () => void
  const wait = ({ expiresAt }: Principal): void => {
    // A wall clock may be put right meanwhile, so it is looked at again.
    const left = expiresAt === undefined ? ASK_MS : Math.max(0, Math.min(ASK_MS, expiresAt - clock.wall()))
    stop = clock.after(left, () => void look())
  }
  const look = async (): Promise<void> => {
    const identity = identityOf()
    const local = principal.kind === 'local' ? principal : undefined
    const now = identity === undefined ? local : await identity.again(authorization, principal)
    if (over) return
    if (now === undefined) end()
    else wait(now)
  }
  wait(principal)
  return () => {
    over = true
    stop()
  }
}
