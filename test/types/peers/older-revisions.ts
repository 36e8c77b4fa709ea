import { describe, expectTypeOf, test } from 'vitest'
import type {
  BlobContents,
  Implementation,
  LogLevel,
  RequestId,
  Resource,
  ResourceTemplate,
  TextContents,
} from '../../../src/protocol/index.ts'
import type * as v2024_11_05 from '../../peers/node_modules/sdk-2024-11-05/dist/types.js'
import type * as v2025_03_26 from '../../peers/node_modules/sdk-2025-03-26/dist/esm/types.js'
import type * as v2025_06_18 from '../../peers/node_modules/sdk-2025-06-18/dist/esm/types.js'
import type { Agree, At, Bare, ImplementationAt, Listed } from '../agree.ts'

/** The official packages of these revisions never typed `annotations` and `size`, which the revisions have. */
type Typed<T> = Omit<T, 'annotations' | 'size'>

type Read<T> = { readonly contents: readonly T[] }

describe('2024-11-05', () => {
  type R = '2024-11-05'

  test('knows our types without title, icons and _meta', () => {
    expectTypeOf<Agree<Typed<At<R, Resource>>, v2024_11_05.Resource>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<Typed<At<R, ResourceTemplate>>, v2024_11_05.ResourceTemplate>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<At<R, TextContents>, v2024_11_05.TextResourceContents>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<At<R, BlobContents>, v2024_11_05.BlobResourceContents>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<ImplementationAt<R, Implementation>, v2024_11_05.Implementation>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<LogLevel, v2024_11_05.LoggingLevel>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<RequestId, v2024_11_05.RequestId>>().toEqualTypeOf<true>()
    expectTypeOf<
      Agree<Listed<'resources', Typed<At<R, Resource>>>, Bare<v2024_11_05.ListResourcesResult>>
    >().toEqualTypeOf<true>()
    expectTypeOf<
      Agree<Read<At<R, TextContents> | At<R, BlobContents>>, Bare<v2024_11_05.ReadResourceResult>>
    >().toEqualTypeOf<true>()
  })

  test('does not know what is newer', () => {
    // @ts-expect-error -- title and _meta came with 2025-06-18
    expectTypeOf<Agree<Typed<At<'2025-06-18', Resource>>, v2024_11_05.Resource>>().toEqualTypeOf<true>()
    // @ts-expect-error -- so did those of templates
    expectTypeOf<Agree<Typed<At<'2025-06-18', ResourceTemplate>>, v2024_11_05.ResourceTemplate>>().toEqualTypeOf<true>()
  })
})

describe('2025-03-26', () => {
  type R = '2025-03-26'

  test('knows our types as 2024-11-05 does', () => {
    expectTypeOf<Agree<Typed<At<R, Resource>>, v2025_03_26.Resource>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<Typed<At<R, ResourceTemplate>>, v2025_03_26.ResourceTemplate>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<At<R, TextContents>, v2025_03_26.TextResourceContents>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<At<R, BlobContents>, v2025_03_26.BlobResourceContents>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<ImplementationAt<R, Implementation>, v2025_03_26.Implementation>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<LogLevel, v2025_03_26.LoggingLevel>>().toEqualTypeOf<true>()
  })

  test('does not know what is newer', () => {
    // @ts-expect-error -- title and _meta came with 2025-06-18
    expectTypeOf<Agree<Typed<At<'2025-06-18', Resource>>, v2025_03_26.Resource>>().toEqualTypeOf<true>()
  })
})

describe('2025-06-18', () => {
  type R = '2025-06-18'

  test('knows our types without icons', () => {
    expectTypeOf<Agree<Typed<At<R, Resource>>, v2025_06_18.Resource>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<Typed<At<R, ResourceTemplate>>, v2025_06_18.ResourceTemplate>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<TextContents, v2025_06_18.TextResourceContents>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<BlobContents, v2025_06_18.BlobResourceContents>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<ImplementationAt<R, Implementation>, v2025_06_18.Implementation>>().toEqualTypeOf<true>()
    expectTypeOf<Agree<LogLevel, v2025_06_18.LoggingLevel>>().toEqualTypeOf<true>()
  })

  test('does not know what is newer', () => {
    // @ts-expect-error -- icons came with 2025-11-25
    expectTypeOf<Agree<Typed<Resource>, v2025_06_18.Resource>>().toEqualTypeOf<true>()
    // @ts-expect-error -- description and websiteUrl came with 2025-11-25
    expectTypeOf<Agree<At<R, Implementation>, v2025_06_18.Implementation>>().toEqualTypeOf<true>()
  })
})
