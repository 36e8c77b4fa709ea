export { createFastifyHandler } from './fastify-handler.ts'
export type { FastifyHandler, FastifyLike } from './fastify-handler.ts'
