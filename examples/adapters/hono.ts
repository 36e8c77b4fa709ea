import { Hono } from 'hono'
import { createLibrary } from 'shelfmark'
import { createHonoHandler } from 'shelfmark/adapters/hono'

const library = createLibrary({ name: 'desk' }).resource('desk://hours', () => 'Monday to Friday, 9 to 18')

export const mcp = createHonoHandler(library)

export const app = new Hono()
app.get('/health', (context) => context.text('ok'))
app.all('/mcp', mcp.handle)
