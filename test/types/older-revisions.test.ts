import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const installed = existsSync(new URL('test/peers/node_modules/sdk-2024-11-05', root))

describe.skipIf(!installed)(
  'the types of older revisions (npm run conformance installs what is compared)',
  { timeout: 60_000 },
  () => {
    it('agree with ours, less what is newer, and model SDKs take what is rendered', () => {
      const tsc = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root))
      const project = fileURLToPath(new URL('tsconfig.peers.json', root))
      const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' })
      expect(stdout).toBe('')
      expect(status).toBe(0)
    })
  },
)
