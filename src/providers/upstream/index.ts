export type { UpstreamOptions } from './options.ts'
export { upstream } from './provider.ts'
