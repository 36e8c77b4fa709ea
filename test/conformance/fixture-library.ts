import { createLibrary } from '../../src/index.ts'
import type { Library } from '../../src/index.ts'
import { RED_PIXEL } from './fixture-tool.ts'

/** The resources that the official suite reads. */
export function fixtureLibrary(): Library {
  return createLibrary({ name: 'shelfmark-conformance', version: '1.0.0' })
    .resource(
      'test://static-text',
      { title: 'Static text', mimeType: 'text/plain' },
      () => 'This is the content of the static text resource.',
    )
    .resource('test://static-binary', { title: 'Static binary', mimeType: 'image/png' }, () => Buffer.from(RED_PIXEL, 'base64'))
    .resource('test://watched-resource', { title: 'Watched resource', mimeType: 'text/plain' }, () => 'Watch me.')
    .template('test://template/{id}/data', { title: 'Template', mimeType: 'application/json' }, ({ id }) => ({
      id,
      templateTest: true,
      data: `Data for ID: ${id}`,
    }))
}

/** The port that the suite's runner asks for. Any free one by default. */
export function portOf(args: readonly string[]): number {
  const at = args.indexOf('--port')
  return at < 0 ? 0 : Number(args[at + 1])
}
