export { connectMemory } from './connect.ts'
export type { MemoryOptions, MemoryTransport } from './connect.ts'
