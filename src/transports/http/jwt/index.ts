export { jwtTokens } from './jwt-tokens.ts'
export type { JwtAlgorithm, JwtOptions } from './options.ts'
