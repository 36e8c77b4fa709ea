import { setTimeout as pause } from 'node:timers/promises'
import { CONTACT_SCHEMA } from './contact-schema.ts'
import type { FixtureTool } from './fixture-tool.ts'
import { content, RED_PIXEL, said, SILENCE } from './fixture-tool.ts'

const IMAGE = { type: 'image', data: RED_PIXEL, mimeType: 'image/png' }

/** Tools that answer at once. */
export const PLAIN_TOOLS: readonly FixtureTool[] = [
  { name: 'test_simple_text', description: 'Says one sentence', call: () => said('This is a simple text response for testing.') },
  {
    name: 'json_schema_2020_12_tool',
    description: 'Has a schema that uses what JSON Schema 2020-12 brought',
    inputSchema: CONTACT_SCHEMA,
    call: () => said('The schema is what counts'),
  },
  { name: 'test_image_content', description: 'Shows a red pixel', call: () => content(IMAGE) },
  {
    name: 'test_audio_content',
    description: 'Plays silence',
    call: () => content({ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }),
  },
  {
    name: 'test_embedded_resource',
    description: 'Encloses a resource',
    call: () =>
      content({
        type: 'resource',
        resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
      }),
  },
  {
    name: 'test_multiple_content_types',
    description: 'Says, shows and encloses',
    call: () =>
      content({ type: 'text', text: 'Multiple content types test:' }, IMAGE, {
        type: 'resource',
        resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data","value":123}' },
      }),
  },
  {
    name: 'test_error_handling',
    description: 'Fails on purpose',
    call: () => ({
      kind: 'result',
      value: { isError: true, content: [{ type: 'text', text: 'This tool intentionally returns an error for testing' }] },
    }),
  },
  {
    name: 'test_tool_with_logging',
    description: 'Logs while it works',
    call: async (_args, asking) => {
      asking.log('info', 'Tool execution started')
      await pause(50)
      asking.log('info', 'Tool processing data')
      await pause(50)
      asking.log('info', 'Tool execution completed')
      return said('Logged three times')
    },
  },
  {
    name: 'test_logging_tool',
    description: 'Logs to those who asked for it',
    call: (_args, asking) => {
      asking.log('info', 'For whoever set a level')
      return said('Logged once, if wanted')
    },
  },
  {
    name: 'test_tool_with_progress',
    description: 'Tells how far it is',
    call: async (_args, asking) => {
      for (const done of [0, 50, 100]) {
        asking.progress(done, 100)
        await pause(50)
      }
      return said('All the way')
    },
  },
]
