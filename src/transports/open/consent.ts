import { ShelfError } from '../../errors.ts'
import { describeServer, formatDescription } from './describe-server.ts'
import type { ServerDescription } from './describe-server.ts'
import { fingerprint } from './fingerprint.ts'
import { plain, quote } from './printable.ts'
import type { ServerEntry } from './server-entry.ts'
import { addTrusted, readTrusted } from './trust-store.ts'

/** A server of a project's file that is about to be opened, and that nobody has agreed to in this form. */
export interface ConsentRequest {
  readonly entry: ServerEntry
  /** What will be done, safe to show. */
  readonly description: ServerDescription
  /** `changed`: another form of this server of this file was agreed to before. */
  readonly reason: 'new' | 'changed'
}

/** Asks a person. True is remembered for this server as it is now; false refuses this once. */
export type Consent = (request: ConsentRequest) => boolean | Promise<boolean>

export interface ConsentOptions {
  readonly consent?: Consent | undefined
  readonly trustFile: string
  readonly onWarning: (message: string) => void
}

/**
 * Settles when the server may be opened: one of the user's own files, or one that was agreed to in this very form.
 *
 * @param envFile the bytes of the entry's variable file, which are part of what is agreed to
 * @throws ShelfError `refused` when it was not; without a `consent` callback the message shows what would be done
 */
export async function requireConsent(
  entry: ServerEntry,
  envFile: Uint8Array | undefined,
  options: ConsentOptions,
): Promise<void> {
  if (entry.origin?.scope !== 'project') return
  const { consent, trustFile, onWarning } = options
  const { file, name } = entry
  const wanted = { file, name, fingerprint: fingerprint(entry, envFile) }
  // A store that cannot be read says yes to nothing, and stops nobody who is there to be asked.
  const trusted = await readTrusted(trustFile).catch((error: unknown) => {
    onWarning(ShelfError.from(error).message)
    return []
  })
  const before = trusted.filter((one) => one.file === file && one.name === name)
  if (before.some((one) => one.fingerprint === wanted.fingerprint)) return
  const description = describeServer(entry)
  const reason = before.length > 0 ? 'changed' : 'new'
  if (consent === undefined) throw unasked(description, reason)
  if (!(await consent({ entry, description, reason }))) {
    throw new ShelfError('refused', `Server ${quote(name)} of ${plain(file)} was not agreed to, and is not opened`, {})
  }
  await addTrusted(trustFile, wanted).catch((error: unknown) => {
    onWarning(`The consent is not remembered: ${ShelfError.from(error).message}`)
  })
}

function unasked(description: ServerDescription, reason: ConsentRequest['reason']): ShelfError {
  const why = reason === 'new' ? 'Nobody has agreed to it yet' : 'It has changed since somebody agreed to it'
  const message =
    `Server ${quote(description.name)} comes from a file of the project, which others may have written. ${why} - ` +
    `${formatDescription(description).join('; ')} - ` +
    'If this is what you want, agree to it: with --trust on the command line, with the option `consent` in code'
  return new ShelfError('refused', message, {})
}
