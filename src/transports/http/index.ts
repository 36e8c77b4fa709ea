export { serveHttp } from './serve.ts'
export type { HttpOptions, HttpServer } from './serve.ts'
