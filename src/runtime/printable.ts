/** Text for a terminal: control characters and bidirectional marks become visible escapes, lines become one. */
export function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- naming them is the point
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
