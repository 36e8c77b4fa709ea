/**
 * What cannot be seen, or turns around what can: controls, format characters, separators of lines, tags, selectors of variants
 * of which a row can carry any bytes. One selector behind an emoji makes it a picture.
 */
export const UNSEEN = /(?:(?!(?<=\p{Emoji})\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}])+/gu
/** Of these what may be in contents to say something else than is seen: that selector may not, nor a byte order mark before all. */
const HIDDEN = /(?!(?<=\p{Emoji})\ufe0f|(?<![^])\ufeff)\p{Default_Ignorable_Code_Point}/gu

/** A text without what is there and not seen. */
export function seenOf(text: string): string {
  return text.replace(HIDDEN, '').toWellFormed()
}

/** How many characters of a text are there and not seen, which may be instructions to a model alone. */
export function hiddenIn(text: string): number {
  return text.match(HIDDEN)?.length ?? 0
}
