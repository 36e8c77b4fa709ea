/** Tells somebody of something, whatever becomes of it: whoever is told of errors has nobody to tell of its own. */
export function heedless(tell: () => void): void {
  try {
    tell()
  } catch {
    // What was under way goes on.
  }
}
