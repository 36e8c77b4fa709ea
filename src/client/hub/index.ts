export { openHub } from './hub.ts'
export type { Hub } from './hub.ts'
export type { HubOptions } from './options.ts'
