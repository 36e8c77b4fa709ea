import { describe, expect, it } from 'vitest'
import type { Implementation, Resource } from './resource.ts'
import { shapeImplementation, shapeItems } from './shape.ts'

const ICONS = [{ src: 'https://x/i.png' }]

const RESOURCE: Resource = {
  uri: 'a:1',
  name: 'one',
  title: 'One',
  description: 'The first',
  mimeType: 'text/plain',
  size: 3,
  annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' },
  icons: ICONS,
  _meta: { 'x/y': 1 },
}

describe('shapeItems()', () => {
  it.each(['2024-11-05', '2025-03-26'] as const)('for %s leaves out title, icons, _meta and lastModified', (revision) => {
    expect(shapeItems([RESOURCE], revision)).toEqual([
      {
        uri: 'a:1',
        name: 'one',
        description: 'The first',
        mimeType: 'text/plain',
        size: 3,
        annotations: { audience: ['user'], priority: 1 },
      },
    ])
  })

  it('for 2025-06-18 leaves out icons', () => {
    expect(shapeItems([RESOURCE], '2025-06-18')).toEqual([
      {
        uri: 'a:1',
        name: 'one',
        title: 'One',
        description: 'The first',
        mimeType: 'text/plain',
        size: 3,
        annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' },
        _meta: { 'x/y': 1 },
      },
    ])
  })

  it.each(['2025-11-25', '2026-07-28'] as const)('for %s gives the items as they are, without a copy', (revision) => {
    const items = [RESOURCE]
    expect(shapeItems(items, revision)).toBe(items)
  })

  it('leaves out annotations that held nothing else than lastModified', () => {
    const items = [{ uri: 'a:1', name: 'one', annotations: { lastModified: '2026-01-01T00:00:00Z' } }]
    expect(shapeItems(items, '2025-03-26')).toEqual([{ uri: 'a:1', name: 'one' }])
  })

  it('keeps templates, and adds no member that is absent', () => {
    const items = [{ uriTemplate: 't:{x}', name: 'tea' }]
    expect(shapeItems(items, '2024-11-05')).toStrictEqual([{ uriTemplate: 't:{x}', name: 'tea' }])
    expect(shapeItems([], '2024-11-05')).toEqual([])
  })

  it('does not change what it was given', () => {
    const before = structuredClone(RESOURCE)
    shapeItems([RESOURCE], '2024-11-05')
    expect(RESOURCE).toEqual(before)
  })
})

describe('shapeImplementation()', () => {
  const OWN: Implementation = {
    name: 'acme',
    version: '1.2.3',
    title: 'Acme',
    description: 'Things',
    websiteUrl: 'https://acme.example',
    icons: ICONS,
  }

  it.each([
    ['2024-11-05', { name: 'acme', version: '1.2.3' }],
    ['2025-03-26', { name: 'acme', version: '1.2.3' }],
    ['2025-06-18', { name: 'acme', version: '1.2.3', title: 'Acme' }],
    ['2025-11-25', OWN],
    ['2026-07-28', OWN],
  ] as const)('for %s', (revision, shaped) => {
    expect(shapeImplementation(OWN, revision)).toStrictEqual(shaped)
  })

  it('adds no member that is absent', () => {
    expect(shapeImplementation({ name: 'acme', version: '1' }, '2026-07-28')).toStrictEqual({ name: 'acme', version: '1' })
  })
})
