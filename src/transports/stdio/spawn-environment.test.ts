import { describe, expect, it } from 'vitest'
import { spawnEnvironment } from './spawn-environment.ts'

const OWN = {
  PATH: '/bin',
  HOME: '/home/ada',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  AWS_SECRET_ACCESS_KEY: 'secret',
  NODE_OPTIONS: '--inspect',
  SHELL: '() { :; }; echo caught',
}

describe('spawnEnvironment()', () => {
  it('spawnEnvironment() inherits what a program cannot do without, and nothing else', () => {
    expect(spawnEnvironment({}, OWN, false)).toEqual({ PATH: '/bin', HOME: '/home/ada', LC_ALL: 'C.UTF-8', TZ: 'UTC' })
  })

  it('spawnEnvironment() adds, replaces and takes away what its owner says', () => {
    expect(spawnEnvironment({ TOKEN: 't', PATH: '/opt', HOME: undefined, TZ: undefined }, OWN, false)).toEqual({
      PATH: '/opt',
      LC_ALL: 'C.UTF-8',
      TOKEN: 't',
    })
  })

  it('spawnEnvironment() knows no case of names on Windows', () => {
    const own = { Path: 'C:\\bin', SystemRoot: 'C:\\Windows', Secret: 's' }
    expect(spawnEnvironment({}, own, true)).toEqual({ Path: 'C:\\bin', SystemRoot: 'C:\\Windows' })
    expect(spawnEnvironment({ PATH: 'D:\\bin' }, own, true)).toEqual({ SystemRoot: 'C:\\Windows', PATH: 'D:\\bin' })
    expect(spawnEnvironment({ path: undefined }, own, true)).toEqual({ SystemRoot: 'C:\\Windows' })
  })
})
