import express from 'express'
import { createLibrary } from 'shelfmark'
import { createExpressHandler } from 'shelfmark/adapters/express'

const library = createLibrary({ name: 'desk' }).resource('desk://hours', () => 'Monday to Friday, 9 to 18')

export const mcp = createExpressHandler(library)

export const app = express()
app.use(express.json())
app.get('/health', (_request, response) => void response.send('ok'))
app.all('/mcp', mcp.handle)
