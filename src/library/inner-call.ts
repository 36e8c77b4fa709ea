import type { Call } from './call.ts'
import type { Mount } from './mounts.ts'

/** The Call as a mounted provider sees it: it asks about its own URIs, access is decided on the outer ones. */
export function innerCall(mount: Mount, call: Call): Call {
  if (mount.qualifier === '') return call
  return {
    principal: call.principal,
    get signal() {
      return call.signal
    },
    allows: (operation, uri) => call.allows(operation, mount.qualifier + uri),
    ...(call.reaches && { reaches: (operation, prefix) => call.reaches?.(operation, mount.qualifier + prefix) ?? true }),
    ...(call.progress && { progress: (done, total) => call.progress?.(done, total) }),
  }
}
