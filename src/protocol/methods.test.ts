import { describe, expect, it } from 'vitest'
import type { MethodDescriptor } from './methods.ts'
import * as methods from './methods.ts'
import { isLogLevel, LOG_LEVELS } from './methods.ts'

const DESCRIPTORS = Object.values(methods).filter(
  (value): value is MethodDescriptor => typeof value === 'object' && 'method' in value,
)

describe('the methods', () => {
  it.each([
    ['initialize', 'client', 'legacy'],
    ['ping', 'client', 'legacy'],
    ['logging/setLevel', 'client', 'legacy'],
    ['server/discover', 'client', 'modern', 'cacheable'],
    ['subscriptions/listen', 'client', 'modern'],
    ['completion/complete', 'client', 'legacy modern'],
    ['resources/list', 'client', 'legacy modern', 'cacheable'],
    ['resources/templates/list', 'client', 'legacy modern', 'cacheable'],
    ['resources/read', 'client', 'legacy modern', 'cacheable asksInput', 'uri'],
    ['dev.shelfmark/stat', 'client', 'legacy modern', 'cacheable'],
    ['resources/subscribe', 'client', 'legacy'],
    ['resources/unsubscribe', 'client', 'legacy'],
    ['resources/directory/read', 'client', 'legacy modern', 'cacheable'],
    ['skills/list', 'client', 'legacy modern', 'cacheable'],
    ['skills/get', 'client', 'legacy modern', 'cacheable'],
    ['tools/list', 'client', 'legacy modern', 'cacheable'],
    ['tools/call', 'client', 'legacy modern', 'asksInput', 'name'],
    ['notifications/initialized', 'client', 'legacy'],
    ['notifications/cancelled', 'client', 'legacy modern'],
    ['notifications/progress', 'server', 'legacy modern'],
    ['notifications/message', 'server', 'legacy modern'],
    ['notifications/subscriptions/acknowledged', 'server', 'modern'],
    ['notifications/resources/updated', 'server', 'legacy modern'],
    ['notifications/resources/list_changed', 'server', 'legacy modern'],
    ['notifications/tools/list_changed', 'server', 'legacy modern'],
  ])('%s: from the %s, %s %s %s', (name, from, eras, flags = '', nameField?) => {
    const found = DESCRIPTORS.filter(({ method }) => method === name)
    expect(found).toEqual([
      {
        method: name,
        kind: name.startsWith('notifications/') ? 'notification' : 'request',
        from,
        eras: eras.split(' '),
        ...(flags.includes('cacheable') && { cacheable: true }),
        ...(flags.includes('asksInput') && { asksInput: true }),
        ...(nameField !== undefined && { nameField }),
      },
    ])
  })

  it('are no more than those above', () => {
    expect(DESCRIPTORS).toHaveLength(25)
  })
})

describe('LOG_LEVELS', () => {
  it('are those of RFC 5424, least first', () => {
    expect(LOG_LEVELS).toEqual(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'])
  })

  it.each([
    ['debug', true],
    ['emergency', true],
    ['warn', false],
    ['', false],
    [undefined, false],
    [3, false],
  ])('isLogLevel(%j) is %j', (value, is) => {
    expect(isLogLevel(value)).toBe(is)
  })
})
