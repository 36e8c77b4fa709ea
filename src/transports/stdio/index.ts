export { serveStdio } from './serve.ts'
export type { StdioOptions, StdioServer } from './serve.ts'
