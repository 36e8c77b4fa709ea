import type { Call, Provider } from '../../library/index.ts'
import type { ResourceSearch, SearchHit, TemplateHit } from '../search/index.ts'
import { explainRead } from './advice.ts'
import { describeResource, describeTemplate, linkTo } from './describe.ts'
import { objectSchema } from './json-schema.ts'
import { listedTemplates } from './listed-templates.ts'
import type { Searches } from './searches.ts'
import { mayFind } from './searches.ts'
import { hintsFor } from './template-hints.ts'
import type { Tool, ToolCall, ToolResult } from './tool.ts'
import { READ_ONLY, said } from './tool.ts'

const LONGEST_QUERY = 1_000
const USUAL = 10
const MOST = 50
/** Templates beside the resources. */
const TEMPLATES = 5

/** `find_resources`: by words, in what is listed and in contents. */
export function findResourcesTool(data: Provider, searches: Searches): Tool {
  return {
    definition: {
      name: 'find_resources',
      title: 'Find resources',
      description:
        'Finds resources by words in their names, descriptions, URIs and contents, the best first. ' +
        'Gives full URIs, to be read with read_resource. Also finds URI templates, for what is not listed one by one.',
      inputSchema: objectSchema(
        [
          [
            'query',
            { type: 'string', maxLength: LONGEST_QUERY, description: 'Words of what you look for, for example "install linux"' },
          ],
          ['limit', { type: 'integer', minimum: 1, maximum: MOST, default: USUAL, description: 'The most resources to give' }],
        ],
        ['query'],
      ),
      annotations: READ_ONLY,
    },
    run: async (args, asked) => {
      try {
        const query = String(args.get('query'))
        const limit = Number(args.get('limit') ?? USUAL)
        return await searches.ask(asked.call, async (search, isWhole) => found(data, search, isWhole, query, limit, asked))
      } catch (error) {
        return explainRead(error, 'The search', asked)
      }
    },
  }
}

async function found(
  data: Provider,
  search: ResourceSearch,
  isWhole: boolean,
  query: string,
  limit: number,
  { call }: ToolCall,
): Promise<ToolResult> {
  const hits = search
    .search(query, { limit: 2 * limit })
    .flatMap((hit) => hitFor(data, hit, call))
    .slice(0, limit)
  const templates = await visible(data, query.trim() === '' ? [] : search.templates(query, { limit: TEMPLATES }), call)
  const partial = isWhole ? [] : [`[${unfinished(search)}]`]
  if (hits.length === 0 && templates.length === 0) {
    const nothing = `[Nothing was found for these words among ${search.size} resources. Try fewer or other words, or list_resources.]`
    return said([nothing, ...partial].join('\n\n'))
  }
  const resources =
    hits.length === 0 ? [] : [hits.map((hit, i) => `${i + 1}. ${describeResource(hit.resource, whereFound(hit))}`).join('\n')]
  const families = templates.length === 0 ? [] : [await describeFamilies(data, templates, call)]
  // What has more of the words is what was meant: scores of two indexes do not compare.
  const isFamily = (templates[0]?.terms.length ?? 0) > (hits[0]?.terms.length ?? 0)
  const blocks = isFamily ? [...families, ...resources] : [...resources, ...families]
  return {
    content: [{ type: 'text', text: [...blocks, ...partial].join('\n\n') }, ...hits.map(({ resource }) => linkTo(resource))],
  }
}

function unfinished({ progress: { waiting } }: ResourceSearch): string {
  if (waiting === 0) return 'Not all is listed yet: call again for the rest.'
  return `${waiting} resources are still being indexed: call again for what is in their contents.`
}

async function describeFamilies(data: Provider, hits: readonly TemplateHit[], call: Call): Promise<string> {
  const described = await Promise.all(
    hits.map(async ({ template }) => describeTemplate(template, await hintsFor(data, template.uriTemplate, call))),
  )
  return `URI templates: fill in the braces, percent-encoded, and read the URI that you get.\n${described.join('\n')}`
}

/** A hit as the caller may have it now: rights may have changed since it was indexed. */
function hitFor(data: Provider, hit: SearchHit, call: Call): readonly SearchHit[] {
  const { uri } = hit.resource
  if (!mayFind(data, uri, call)) return []
  if (!hit.fields.includes('contents') || call.allows('read', uri)) return [hit]
  // Which of the words are in contents is nothing for who may not read them.
  const fields = hit.fields.filter((field) => field !== 'contents')
  return fields.length === 0 ? [] : [{ ...hit, terms: [], fields }]
}

/** Those that the caller may see now: rights may have changed since they were indexed. */
async function visible(data: Provider, hits: readonly TemplateHit[], call: Call): Promise<readonly TemplateHit[]> {
  if (hits.length === 0) return []
  const now = new Set((await listedTemplates(data, call)).map(({ uriTemplate }) => uriTemplate))
  return hits.filter(({ template }) => now.has(template.uriTemplate))
}

function whereFound({ terms, fields }: SearchHit): string {
  if (terms.length === 0) return ''
  return `found ${terms.slice(0, 5).join(' ')} in ${fields.join(' and ')}`
}
