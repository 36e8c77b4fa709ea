const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(?:[. ]|$)/i
const SHORT = /^[^.]{1,6}~[0-9]{1,6}(?:\.[^.]{0,3})?$/
const ODD = '<>:"|?*\\/'

/**
 * True for a name that Windows reads as something else: a device (`NUL`, `com1.txt`), a stream (`a.txt:x`),
 * a drive (`C:x`), a short alias (`PROGRA~1`), or a name it would trim (`a.`, `a `).
 */
export function isOddWindowsName(name: string): boolean {
  if (name === '' || name.endsWith('.') || name.endsWith(' ')) return true
  for (const character of name) if (character < ' ' || ODD.includes(character)) return true
  return RESERVED.test(name) || SHORT.test(name)
}
