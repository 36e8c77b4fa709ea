export { createExpressHandler } from './express-handler.ts'
export type { ExpressHandler } from './express-handler.ts'
