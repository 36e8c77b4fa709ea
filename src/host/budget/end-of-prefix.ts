/** The nearest place at or before `end` that is not inside of a character. */
export function endOfPrefix(text: string, end: number): number {
  const isInside = end > 0 && end < text.length && isHigh(text.charCodeAt(end - 1)) && isLow(text.charCodeAt(end))
  return isInside ? end - 1 : end
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
