export { beginsWith } from './begins-with.ts'
export { decodeUtf8 } from './decode-utf8.ts'
export { encodeBase64 } from './encode-base64.ts'
export { imageType } from './image-type.ts'
