import type { Consent } from './consent.ts'
import type { ServerInput } from './server-entry.ts'
import type { ServerFilesOptions } from './server-files.ts'

/** How a server is found, agreed to, and filled in. */
export interface ResolveOptions extends ServerFilesOptions {
  /**
   * Asked once before a server of a project's file is opened, and again when it has changed. Default: such servers are
   * refused, with an error that shows what would be started. Servers of the user's own files, URLs and commands need none.
   */
  readonly consent?: Consent
  /** Where consent is kept. Default: `shelfmark/trust.json` in `XDG_CONFIG_HOME`, else in `~/.config`. */
  readonly trustFile?: string
  /** Asked for the value of an `${input:id}`. Default: its default counts, and one without is an error. */
  readonly input?: (input: ServerInput) => string | undefined | Promise<string | undefined>
  /** Told, in one line, of what was set aside, of a second server with the name, of a store that cannot be used. Default: nobody. */
  readonly onWarning?: (message: string) => void
}
