/** The longest URI that is looked at, in UTF-16 units (docs/limits.md). */
export const LONGEST_URI = 8192
