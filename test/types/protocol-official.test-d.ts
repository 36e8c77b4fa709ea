import type {
  AnnotationsSchema,
  BlobResourceContentsSchema,
  CompleteResultSchema,
  IconSchema,
  ImplementationSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  LoggingLevelSchema,
  ReadResourceResultSchema,
  ResourceSchema,
  ResourceTemplateSchema,
  TextResourceContentsSchema,
} from '@modelcontextprotocol/core'
import type * as v2025_11_25 from '@modelcontextprotocol/sdk/types.js'
import { describe, expectTypeOf, test } from 'vitest'
import type { output } from 'zod'
import type {
  Annotations,
  BlobContents,
  CacheHint,
  Icon,
  Implementation,
  LogLevel,
  RequestId,
  Resource,
  ResourceTemplate,
  TextContents,
} from '../../src/protocol/index.ts'
import type { Agree, At, Bare, Listed } from './agree.ts'

type Contents = TextContents | BlobContents

interface Completed {
  readonly completion: { readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean }
}

describe('2026-07-28', () => {
  test('knows our types as they are', () => {
    expectTypeOf<Agree<Resource, output<typeof ResourceSchema>>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<ResourceTemplate, output<typeof ResourceTemplateSchema>>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<TextContents, output<typeof TextResourceContentsSchema>>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<BlobContents, output<typeof BlobResourceContentsSchema>>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<Annotations, output<typeof AnnotationsSchema>>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<Icon, output<typeof IconSchema>>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<Implementation, output<typeof ImplementationSchema>>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<LogLevel, output<typeof LoggingLevelSchema>>>().toEqualTypeOf<true>()
  })

  test('knows our results, but for what only the modern era has: its schemas serve both', () => {
    expectTypeOf<Agree<Listed<'resources', Resource>, Bare<output<typeof ListResourcesResultSchema>>>>().toEqualTypeOf<true>()
    expectTypeOf<
      Agree<Listed<'resourceTemplates', ResourceTemplate>, Bare<output<typeof ListResourceTemplatesResultSchema>>>
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Agree<{ readonly contents: readonly Contents[] }, Bare<output<typeof ReadResourceResultSchema>>>
    >().toEqualTypeOf<true>()
    expectTypeOf<Agree<Completed, Bare<output<typeof CompleteResultSchema>>>>().toEqualTypeOf<true>()
  })

  test('does not agree to a type without one of its members', () => {
    // @ts-expect-error -- size is missing
    expectTypeOf<Agree<Omit<Resource, 'size'>, output<typeof ResourceSchema>>>().toEqualTypeOf<true>()
  })
})

describe('2025-11-25', () => {
  test('knows our types as they are', () => {
    expectTypeOf<Agree<Resource, v2025_11_25.Resource>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<ResourceTemplate, v2025_11_25.ResourceTemplate>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<TextContents, v2025_11_25.TextResourceContents>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<BlobContents, v2025_11_25.BlobResourceContents>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<Annotations, v2025_11_25.Annotations>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<Icon, v2025_11_25.Icon>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<Implementation, v2025_11_25.Implementation>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<LogLevel, v2025_11_25.LoggingLevel>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<RequestId, v2025_11_25.RequestId>>().toEqualTypeOf<true>()
  })

  test('knows our results', () => {
    expectTypeOf<Agree<Listed<'resources', Resource>, Bare<v2025_11_25.ListResourcesResult>>>().toEqualTypeOf<true>()
    expectTypeOf<
      Agree<Listed<'resourceTemplates', ResourceTemplate>, Bare<v2025_11_25.ListResourceTemplatesResult>>
    >().toEqualTypeOf<true>()
    expectTypeOf<Agree<{ readonly contents: readonly Contents[] }, Bare<v2025_11_25.ReadResourceResult>>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<Completed, Bare<v2025_11_25.CompleteResult>>>().toEqualTypeOf<true>()
  })

  test('does not agree to what an older revision knows', () => {
    // @ts-expect-error -- icons are missing
    expectTypeOf<Agree<At<'2025-06-18', Resource>, v2025_11_25.Resource>>().toEqualTypeOf<true>()
    type Dated = CacheHint & Listed<'resources', Resource>
    // @ts-expect-error -- ttlMs and cacheScope came with 2026-07-28
    expectTypeOf<Agree<Dated, Bare<v2025_11_25.ListResourcesResult>>>().toEqualTypeOf<true>()
  })
})
