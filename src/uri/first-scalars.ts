/** The first code points of a text; a lone surrogate counts as one. */
export function firstScalars(text: string, count: number): string {
  let end = 0
  for (let i = 0; i < count && end < text.length; i++) end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  return text.slice(0, end)
}
