import { closeSync } from 'node:fs'
import { notFound } from '../../errors.ts'
import type { Call } from '../../library/index.ts'
import type { FilesContext } from './context.ts'
import { openAdmitted } from './open-admitted.ts'
import type { Opened } from './open-beneath.ts'

/** The path a URI stands for; a directory's URI may end in a slash, which no URI that we mint does. */
export function locate(context: FilesContext, uri: string): { readonly path: string; readonly directory: boolean } | undefined {
  const directory = uri.endsWith('/')
  const path = context.uris.pathOf(directory ? uri.slice(0, -1) : uri)
  return path === undefined ? undefined : { path, directory }
}

/** Opens what a URI stands for, or rejects with `not-found`. The caller closes `fd`. */
export async function openUri(
  context: FilesContext,
  uri: string,
  call: Call,
): Promise<{ readonly path: string; readonly opened: Opened }> {
  const place = locate(context, uri)
  const opened = place === undefined ? undefined : await openAdmitted(context, place.path, call)
  if (place === undefined || opened === undefined) throw notFound(uri)
  if (place.directory && !opened.stat.isDirectory()) {
    closeSync(opened.fd)
    throw notFound(uri)
  }
  return { path: place.path, opened }
}
