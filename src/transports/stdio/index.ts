export { connectStdio } from './connect.ts'
export type { StdioConnection, StdioConnectOptions } from './connect.ts'
export { serveStdio } from './serve.ts'
export type { StdioOptions, StdioServer } from './serve.ts'
