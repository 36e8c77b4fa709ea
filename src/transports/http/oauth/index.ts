export { loginInBrowser } from './login.ts'
export type { LoginOptions } from './login.ts'
