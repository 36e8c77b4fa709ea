import { describe, expect, it } from 'vitest'
import { upstreamName } from './upstream-name.ts'

describe('upstreamName()', () => {
  it.each([
    ['https://api.example.com/mcp', 'api.example.com'],
    ['http://127.0.0.1:7467/mcp', 'server'],
    ['@GitHub', 'github'],
    ['npx -y @modelcontextprotocol/server-everything@2026.8.31', 'server-everything'],
    ['node /opt/notes/dist/index.js --verbose', 'notes'],
    ['node ./server.mjs', 'server'],
    ['uvx mcp-server-git --repository .', 'mcp-server-git'],
    ['docker run -i --rm acme/weather', 'weather'],
    ['KEY=1 my_server', 'my-server'],
    ['"/opt/My Notes/serve it.sh"', 'serve-it'],
    ['42', 'server'],
  ])('%s is %s', (server, name) => {
    expect(upstreamName(server)).toBe(name)
  })
})
