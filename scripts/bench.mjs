import { bundleProgram } from './bundle.mjs'
import { at, node } from './run.mjs'
import { main, setup } from './setup.mjs'

/** Programs beside the workloads, each of which measures one thing. */
const ALONE = ['access', 'files-read', 'policies', 'selection', 'uri']

await main(async () => {
  await setup()
  const [first = '', ...rest] = process.argv.slice(2)
  const [program, args] = ALONE.includes(first) ? [first, rest] : ['main', process.argv.slice(2)]
  const { code } = await node(['--expose-gc', await bundleProgram(at(`bench/${program}.ts`)), ...args])
  return code
})
