import { closeSync } from 'node:fs'
import { notFound } from '../../errors.ts'
import type { Call, Change, Provider, Stat, UriRequest, Watcher } from '../../library/index.ts'
import { childrenOf } from './children.ts'
import { completePath } from './complete.ts'
import type { FilesContext } from './context.ts'
import { createExposure } from './exposure.ts'
import { fileFailure } from './failures.ts'
import { entryOf } from './folder.ts'
import { listFiles } from './list.ts'
import { locate, openUri } from './locate.ts'
import type { FilesOptions } from './options.ts'
import { createPathUris } from './path-uri.ts'
import { readFile } from './read.ts'
import { resourceOf } from './resource.ts'
import { openRoot } from './root.ts'
import { templateOf } from './template.ts'
import { versionOf } from './version.ts'

/** A Provider of the files below one folder. */
export type FilesProvider = Provider & Required<Pick<Provider, 'templates' | 'stat' | 'children' | 'complete' | 'watch'>>

/**
 * Serves the files below one folder as `file:///<name>/<path>`.
 *
 * Listed and readable are the same files: regular ones whose real place is below the root, neither hidden, nor
 * ignored, nor secret-looking (see `FilesOptions`). Whatever else is asked for is `not-found`. A file larger than the
 * request's `maxBytes` is `too-large`, before its body is read. Holds nothing open between operations; a streamed
 * Reading owns its descriptor until it is disposed. Watched, it tells of files that come, go or get other contents.
 *
 * Throws `invalid-option` if the root is not a folder, or one too broad to serve.
 */
export function files(root: string | FilesOptions): FilesProvider {
  const options = typeof root === 'string' ? { root } : root
  const opened = openRoot(options)
  const context: FilesContext = { root: opened, uris: createPathUris(opened.name), exposure: createExposure(opened, options) }
  const guard = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw fileFailure(error, opened.provider)
    }
  }
  return {
    name: opened.provider,
    prefixes: [context.uris.root],
    list: (request, call) => guard(listFiles(context, request, call)),
    read: (request, call) => guard(readFile(context, request, call)),
    templates: async (request) => ({ items: request.after === undefined ? [templateOf(context)] : [] }),
    stat: (request, call) => guard(statPath(context, request, call)),
    children: (request, call) => {
      const place = locate(context, request.uri)
      return place === undefined ? Promise.reject(notFound(request.uri)) : guard(childrenOf(context, place.path, request, call))
    },
    complete: (request, call) => guard(completePath(context, request, call)),
    watch: (onChange) => guard(watchFolder(context, options, onChange)),
  }
}

/** What is known of a file or directory without its body; opened all the same, to know what it really is. */
async function statPath(context: FilesContext, request: UriRequest, call: Call): Promise<Stat> {
  const { path, opened } = await openUri(context, request.uri, call)
  closeSync(opened.fd)
  const { stat } = opened
  const resource = resourceOf(context, entryOf(path, stat))
  // What a directory's text names depends on ignore files elsewhere too.
  return stat.isDirectory() ? { resource } : { resource, version: versionOf(stat) }
}

/** What watching needs is loaded when somebody listens. */
async function watchFolder(context: FilesContext, options: FilesOptions, onChange: (change: Change) => void): Promise<Watcher> {
  const { FolderWatch } = await import('./watch/folder-watch.ts')
  const warn = options.onWarning ?? ((message) => process.emitWarning(message, { type: 'ShelfmarkWarning' }))
  return FolderWatch.open(context, { poll: options.poll ?? false, warn }, onChange)
}
