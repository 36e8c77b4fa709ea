export { exceptReads } from './except-reads.ts'
export type {
  OfficialAuthInfo,
  OfficialContext,
  OfficialMcpServer,
  OfficialNotification,
  OfficialRequest,
  OfficialServer,
} from './official-server.ts'
export type { SdkLibraryOptions } from './options.ts'
export { openSdkLibrary } from './sdk-library.ts'
export type { ChangeNotifier, SdkLibrary } from './sdk-library.ts'
