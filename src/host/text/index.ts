export { cut, oneLine, wholeUri } from './one-line.ts'
export { hiddenIn, seenOf } from './unseen.ts'
