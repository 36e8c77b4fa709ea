export { createHonoHandler } from './hono-handler.ts'
export type { HonoHandler } from './hono-handler.ts'
