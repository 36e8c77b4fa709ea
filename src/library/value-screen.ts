/**
 * True when a matched value could make a careless handler leave its folder: a `.` or `..` piece between
 * `/` or `\`, a backslash, a control character, or a leading `/`. Dots inside names are fine (`a..b.txt`).
 */
export function isUnsafeValue(value: string | readonly string[]): boolean {
  return typeof value === 'string' ? isUnsafeText(value) : value.some(isUnsafeText)
}

function isUnsafeText(text: string): boolean {
  if (text.charCodeAt(0) === 0x2f) return true
  let start = 0
  for (let i = 0; i <= text.length; i++) {
    const code = i === text.length ? 0x2f : text.charCodeAt(i)
    if (code === 0x5c || code < 0x20 || code === 0x7f) return true
    if (code !== 0x2f) continue
    const length = i - start
    if (length === 1 && text.charCodeAt(start) === 0x2e) return true
    if (length === 2 && text.charCodeAt(start) === 0x2e && text.charCodeAt(start + 1) === 0x2e) return true
    start = i + 1
  }
  return false
}
