export { configHome } from './config-home.ts'
export { writePrivately } from './write-privately.ts'
