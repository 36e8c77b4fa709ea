import { existsSync } from 'node:fs'
import { bundleProgram } from './bundle.mjs'
import { at, node } from './run.mjs'
import { main, setup } from './setup.mjs'

const program = at('bench/main.ts')

await main(async () => {
  await setup()
  if (!existsSync(program)) throw new Error('There is no bench/main.ts yet')
  const { code } = await node(['--expose-gc', await bundleProgram(program), ...process.argv.slice(2)])
  return code
})
