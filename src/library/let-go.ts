/** Disposes what nobody waits for, such as a Reading: what ends with an error has ended. */
export function letGo(held: Partial<AsyncDisposable>): void {
  Promise.resolve(held[Symbol.asyncDispose]?.()).catch(() => undefined)
}
