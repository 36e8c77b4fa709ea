export type { MemoryBody, MemoryItem, MemoryOptions } from './options.ts'
export { memory } from './provider.ts'
export type { MemoryProvider } from './provider.ts'
