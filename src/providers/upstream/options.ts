import type { HubOptions } from '../../client/index.ts'

/** Options of the Hub that is behind it; `capabilities` of the clients are those that questions can be handed on with. */
export interface UpstreamOptions extends Omit<HubOptions, 'client'> {
  readonly client?: Omit<NonNullable<HubOptions['client']>, 'capabilities' | 'onInput'>
}
