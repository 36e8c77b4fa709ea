import { ShelfError } from '../../errors.ts'
import type { Page, Provider } from '../../library/index.ts'
import type { Resource } from '../../protocol/index.ts'
import { explainRead } from './advice.ts'
import { describeResource, describeTemplate } from './describe.ts'
import { LONGEST_TEXT, objectSchema } from './json-schema.ts'
import { oneLine } from '../text/index.ts'
import type { Limits } from './options.ts'
import type { Tool, ToolCall } from './tool.ts'
import { failed, READ_ONLY, said } from './tool.ts'

/** Templates that the first page names. */
const TEMPLATES = 20

/** `list_resources`: all there is, page by page, or what is in one directory. */
export function listResourcesTool(data: Provider, limits: Limits): Tool {
  return {
    definition: {
      name: 'list_resources',
      title: 'List resources',
      description:
        `Lists resources with their URIs, ${limits.pageItems} at a time, and on the first page the URI templates. ` +
        'Use find_resources instead when you know what you look for.',
      inputSchema: objectSchema(
        [
          [
            'directory',
            { type: 'string', maxLength: LONGEST_TEXT, description: 'The URI of a directory, to list only what is in it' },
          ],
          ['cursor', { type: 'string', maxLength: LONGEST_TEXT, description: 'For the next page: what the last answer said' }],
        ],
        [],
      ),
      annotations: READ_ONLY,
    },
    run: async (args, asked) => {
      const given = args.get('directory') as string | undefined
      // What models give for what they leave open is an empty text.
      const directory = given === '' ? undefined : given
      try {
        return await listed(data, directory, args.get('cursor') as string | undefined, asked, limits)
      } catch (error) {
        if (ShelfError.is(error, 'invalid-cursor')) {
          return failed('This cursor is not one of this list, or is too old. Call list_resources without it to begin anew.')
        }
        return explainRead(error, directory ?? 'The list', asked)
      }
    },
  }
}

async function listed(
  data: Provider,
  directory: string | undefined,
  cursor: string | undefined,
  asked: ToolCall,
  limits: Limits,
) {
  // A cursor stays with what it is a list of.
  const query = `list_resources ${directory ?? ''}`
  const after = cursor === undefined || cursor === '' ? undefined : asked.cursors.open(query, cursor)
  for (let limit = limits.pageItems; ; limit = Math.ceil(limit / 4)) {
    const page = await pageOf(data, directory, { limit, ...(after !== undefined && { after }) }, asked)
    const lines = page.items.map((item) => describeResource(item))
    const text = lines.join('\n')
    // URIs may be long: a page of fewer is then asked for.
    if (text.length > limits.textBytes && limit > 1) continue
    const notices = (page.notices ?? []).map(({ message }) => `\n[${oneLine(message, 200)}]`).slice(0, 5)
    const templates = after === undefined && directory === undefined ? await templatesOf(data, asked) : ''
    const empty = lines.length === 0 && page.next === undefined ? '[There are no resources here.]' : ''
    const next =
      page.next === undefined
        ? ''
        : `\n[There are more. For the next page call list_resources with ${directory === undefined ? '' : 'this directory and '}cursor ${asked.cursors.seal(query, page.next)}]`
    return said(`${text}${empty}${templates}${notices.join('')}${next}`)
  }
}

async function pageOf(
  data: Provider,
  directory: string | undefined,
  request: Parameters<Provider['list']>[0],
  { call }: ToolCall,
): Promise<Page<Resource>> {
  if (directory === undefined) return data.list(request, call)
  if (data.children === undefined) throw new ShelfError('not-found', 'No directories here', { uri: directory })
  return data.children({ ...request, uri: directory }, call)
}

async function templatesOf(data: Provider, { call }: ToolCall): Promise<string> {
  if (data.templates === undefined) return ''
  const { items, next } = await data.templates({ limit: TEMPLATES }, call)
  if (items.length === 0) return ''
  const more = next === undefined ? '' : '\n[There are more templates: find_resources finds them.]'
  return `\n\nURI templates: fill in the braces, percent-encoded, and read the URI that you get.\n${items.map((item) => describeTemplate(item)).join('\n')}${more}`
}
