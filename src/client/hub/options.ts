import type { Notice } from '../../library/index.ts'
import type { Clock } from '../../protocol/index.ts'
import type { ClientOptions } from '../options.ts'
import type { Connect } from '../transport.ts'

export interface HubOptions {
  /** Of the Hub as a Provider. Default `hub`. */
  readonly name?: string
  /** How each server is connected to, by its name: `[a-z][a-z0-9.-]*`. The order is that of the list. */
  readonly servers: { readonly [name: string]: Connect }
  /**
   * Whether URIs are qualified, `name+uri`. Default: with more than one server. It depends on this alone, never on what
   * servers say, so that a URI means the same tomorrow.
   */
  readonly qualify?: boolean
  /** Options of every client. */
  readonly client?: Omit<ClientOptions, 'cache' | 'cacheAs' | 'onNotice' | 'clock'>
  /** How long one server may take for a page of a list before the others go on, in milliseconds. Default 5,000. */
  readonly listBudgetMs?: number
  /**
   * What is worth telling a person of a server: what was odd in its answers, and why it is left out of lists, once until it
   * is there again. Notices of a page say only that it is left out, since they cross the wire of a gateway.
   */
  readonly onNotice?: (notice: Notice & { readonly provider: string }) => void
  /** Default: the clock of this machine. */
  readonly clock?: Clock
}
