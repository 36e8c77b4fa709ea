/** `scope-token` of RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Whether a text is one scope. */
export function isScope(text: string): boolean {
  return SCOPE.test(text)
}
