import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import {
  completable,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  McpServer,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import type { CallToolResult, GetPromptResult, JsonSchemaType, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { exceptReads, openSdkLibrary } from '../../src/adapters/sdk/index.ts'
import type { JsonValue } from '../../src/protocol/index.ts'
import { fixtureLibrary, portOf } from './fixture-library.ts'
import type { FixtureTool } from './fixture-tool.ts'
import { said } from './fixture-tool.ts'
import { INPUT_TOOLS } from './input-tools.ts'
import { askingOf, officialResult } from './official-asking.ts'
import { PLAIN_TOOLS } from './plain-tools.ts'
import { completions, PROMPTS } from './prompts.ts'
import { triggers } from './triggers.ts'

/**
 * The server that the official conformance suite talks to in place of ours: an official one with the suite's tools and
 * prompts, into which the Library was put.
 */
const codec = createRequestStateCodec<JsonValue>({ key: randomBytes(32) })
const shelf = openSdkLibrary(fixtureLibrary())
const changes = triggers({ tools: () => handler.notify.toolsChanged(), prompts: () => handler.notify.promptsChanged() })

/** Its argument also travels as a header, which an official server compares. */
const HEADED: FixtureTool = {
  name: 'test_header_argument',
  description: 'Says where it was asked for',
  inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
  call: ({ region }) => said(`Asked for in ${String(region)}`),
}

function makeServer(): McpServer {
  const server = new McpServer(
    { name: 'shelfmark-conformance', version: '1.0.0' },
    {
      requestState: { verify: exceptReads((state, context: ServerContext) => codec.verify(state, context)) },
      capabilities: { logging: {}, tools: { listChanged: true } },
    },
  )
  shelf.addTo(server)
  for (const tool of [...PLAIN_TOOLS, ...INPUT_TOOLS, ...changes, HEADED]) {
    const schema = (tool.inputSchema ?? { type: 'object', properties: {} }) as JsonSchemaType
    const inputSchema = fromJsonSchema<{ readonly [name: string]: unknown }>(schema)
    server.registerTool(tool.name, { description: tool.description, inputSchema }, (args, context) =>
      officialResult<CallToolResult>(tool.call(args, askingOf(context)), codec),
    )
  }
  for (const [name, prompt] of Object.entries(PROMPTS)) {
    const shape = (prompt.arguments ?? []).map((one) => [
      one.name,
      completable(z.string().describe(one.description), completions),
    ])
    const argsSchema = z.object(Object.fromEntries(shape))
    server.registerPrompt(name, { description: prompt.description, argsSchema }, (args, context) =>
      officialResult<GetPromptResult>(prompt.get(args, askingOf(context)), codec),
    )
  }
  return server
}

const handler = createMcpHandler(makeServer)
const guarded = async (request: Request): Promise<Response> =>
  hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
  originValidationResponse(request, localhostAllowedOrigins()) ??
  handler.fetch(request)

const answer = toNodeHandler({ fetch: guarded })
const http = createServer((request, response) => void answer(request as Parameters<typeof answer>[0], response))
http.listen(portOf(process.argv), '127.0.0.1', () => {
  process.stdout.write(`listening http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp\n`)
})
process.on('SIGTERM', () => process.exit(0))
