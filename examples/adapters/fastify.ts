import { fastify } from 'fastify'
import { createLibrary } from 'shelfmark'
import { createFastifyHandler } from 'shelfmark/adapters/fastify'

const library = createLibrary({ name: 'desk' }).resource('desk://hours', () => 'Monday to Friday, 9 to 18')

export const mcp = createFastifyHandler(library)

export const app = fastify()
app.get('/health', () => 'ok')
app.register(mcp.plugin)
