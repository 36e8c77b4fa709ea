/** Control characters, bidirectional marks, and what takes no room: a name made of them can pass for another. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex -- naming them is the point
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u

const EVERY_HIDDEN = new RegExp(HIDDEN.source, 'gu')

/** Does the text hold what a person would not see? */
export const hasHidden = (text: string): boolean => HIDDEN.test(text)

/** Text in double quotes on one line, for a message: whatever it holds is seen, and does nothing to a terminal. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(EVERY_HIDDEN, (char) => {
    return Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')
  })
}

/** Text on one line without quotes, for a path in a message. */
export const plain = (text: string): string => (hasHidden(text) ? quote(text) : text)
