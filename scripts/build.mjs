import { main, setup } from './setup.mjs'

await main(() => setup())
