import { createLibrary } from 'shelfmark'
import { createFetchHandler } from 'shelfmark/transports/http'

const seats = new Map([
  ['1', { row: 1, free: 4 }],
  ['2', { row: 2, free: 0 }],
])

const library = createLibrary({ name: 'reading-room', version: '1.0.0', title: 'Reading room' })
  .resource('room://hours', { title: 'Opening hours' }, () => 'Monday to Friday, 9 to 18')
  .template(
    'room://seats/{row}',
    { title: 'Free seats of a row', list: () => [...seats.keys()].map((row) => ({ row })) },
    ({ row }) => seats.get(row),
  )

const handler = createFetchHandler(library, { path: '/mcp' })

// Some servers listen on every address unless they are told one.
export default { hostname: '127.0.0.1', port: 7467, fetch: handler.fetch }
