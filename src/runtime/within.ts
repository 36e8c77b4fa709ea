/** What a promise gives within so many milliseconds, else `late`. No timer is left behind. */
export function within<T, L>(promise: Promise<T>, ms: number, late: L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, late)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
