export { decodeText } from './decode-text.ts'
export type { DecodedText } from './decode-text.ts'
export { BINARY_TYPE, isTextType, TEXT_TYPE } from './text-type.ts'
export { typeByName } from './type-by-name.ts'
