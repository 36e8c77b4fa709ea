export { FileFollower } from './file-follower.ts'
export { readConfig } from './read-config.ts'
export type { Config } from './read-config.ts'
