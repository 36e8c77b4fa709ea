import { ShelfError } from '../../errors.ts'
import type { Provider } from '../../library/index.ts'
import { explainRead } from './advice.ts'
import { describeResource } from './describe.ts'
import { LONGEST_TEXT, objectSchema } from './json-schema.ts'
import type { Limits } from './options.ts'
import { readForModel } from './reader.ts'
import type { Searches } from './searches.ts'
import type { Tool, ToolCall, ToolResult } from './tool.ts'
import { READ_ONLY, said } from './tool.ts'

/** Entries of a directory that is read as if it were a text. */
const ENTRIES = 100

/** `read_resource`: one resource by its URI, long ones part by part. */
export function readResourceTool(data: Provider, searches: Searches, limits: Limits): Tool {
  return {
    definition: {
      name: 'read_resource',
      title: 'Read a resource',
      description:
        `Reads one resource by its URI, exactly as find_resources or list_resources gives it. Gives at most ${limits.textBytes} bytes of text; ` +
        'the answer then says with which offset to read on. Images are shown; other binary contents are named and not shown.',
      inputSchema: objectSchema(
        [
          ['uri', { type: 'string', maxLength: LONGEST_TEXT, description: 'The URI, for example file:///docs/guide.md' }],
          [
            'offset',
            {
              type: 'integer',
              minimum: 0,
              maximum: Number.MAX_SAFE_INTEGER,
              default: 0,
              description: 'Where to begin, in bytes: what the last answer said',
            },
          ],
        ],
        ['uri'],
      ),
      annotations: READ_ONLY,
    },
    run: async (args, asked) => {
      const uri = String(args.get('uri'))
      try {
        return await readForModel(data, uri, Number(args.get('offset') ?? 0), asked, limits)
      } catch (error) {
        const entries = ShelfError.is(error, 'not-found') ? await directory(data, uri, asked) : undefined
        return entries ?? explainRead(error, uri, asked, searches.similar(uri, asked.call))
      }
    },
  }
}

/** What is in it, if it is a directory: a model that was given one wants to know. */
async function directory(data: Provider, uri: string, { call }: ToolCall): Promise<ToolResult | undefined> {
  if (data.children === undefined) return undefined
  try {
    const { items, next } = await data.children({ uri, limit: ENTRIES }, call)
    const more = next === undefined ? '' : '\n[There are more: list_resources with this directory gives them page by page.]'
    return said(`[${uri} is a directory. It has:]\n${items.map((item) => describeResource(item)).join('\n')}${more}`)
  } catch {
    return undefined
  }
}
