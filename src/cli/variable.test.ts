import { expect, it } from 'vitest'
import { variable } from './variable.ts'

it('variable() is what the environment says, and nothing that every object has', () => {
  expect(variable('A', { A: 'a' })).toBe('a')
  expect(variable('A', { A: '' })).toBeUndefined()
  for (const name of ['B', 'toString', 'constructor', '__proto__']) {
    expect(variable(name, { A: 'a' })).toBeUndefined()
    expect(variable(name)).toBeUndefined()
  }
})
