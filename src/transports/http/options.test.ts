import { expect, it } from 'vitest'
import type { EndpointOptions } from './options.ts'
import { endpointLimits } from './options.ts'

it('endpointLimits() takes times that a timer can hold, and refuses what bounds nothing', () => {
  expect(endpointLimits({ keepAliveMs: 2 ** 31 - 1, drainMs: 0 })).toEqual({
    maxBody: 1_048_576,
    sessionIdleMs: 1_800_000,
    maxSessions: 1_000,
    keepAliveMs: 2_147_483_647,
    stallMs: 30_000,
    drainMs: 0,
  })
  for (const [options, message] of [
    [{ keepAliveMs: 2 ** 31 }, '"keepAliveMs" takes a number from 1 to 2147483647, got 2147483648'],
    [{ keepAliveMs: 0 }, '"keepAliveMs" takes a number from 1 to 2147483647, got 0'],
    [{ stallMs: NaN }, '"stallMs" takes a number from 1 to 2147483647, got NaN'],
    [{ sessionIdleMs: Infinity }, '"sessionIdleMs" takes a number from 1 to 2147483647, got Infinity'],
    [{ drainMs: -1 }, '"drainMs" takes a number from 0 to 2147483647, got -1'],
    [{ maxBody: NaN }, '"maxBody" takes a whole number from 0 on, got NaN'],
    [{ maxSessions: Infinity }, '"maxSessions" takes a whole number from 0 on, got Infinity'],
  ] satisfies [EndpointOptions, string][]) {
    expect(() => endpointLimits(options)).toThrow(message)
  }
})
