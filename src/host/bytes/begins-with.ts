/** Whether bytes have these at a place, given as Latin-1. */
export function beginsWith(bytes: Uint8Array, at: number, latin1: string): boolean {
  for (let i = 0; i < latin1.length; i++) if (bytes[at + i] !== latin1.charCodeAt(i)) return false
  return true
}
