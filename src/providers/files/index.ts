export type { FilesOptions } from './options.ts'
export { files } from './provider.ts'
export type { FilesProvider } from './provider.ts'
