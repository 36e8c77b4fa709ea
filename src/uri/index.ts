export { createTemplateTable } from './template-table.ts'
export { parseTemplate } from './template-parse.ts'
export { matchTemplate } from './template-match.ts'
