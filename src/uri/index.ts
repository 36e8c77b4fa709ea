export { parseTemplate } from './template-parse.ts'
export { matchTemplate } from './template-match.ts'
