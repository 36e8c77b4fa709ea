import { install } from './install.mjs'
import { at, node } from './run.mjs'
import { exclusively, main } from './setup.mjs'

await main(async () => {
  await exclusively(() => install())
  const { code } = await node([at('node_modules/oxfmt/bin/oxfmt'), ...process.argv.slice(2)])
  return code
})
