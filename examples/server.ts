import { createLibrary } from 'shelfmark'
import { files } from 'shelfmark/providers/files'
import { serveStdio } from 'shelfmark/transports/stdio'

const tickets = new Map([
  ['7', { subject: 'The lamp in row 3 is out', status: 'open' }],
  ['8', { subject: 'Second copy of the atlas', status: 'done' }],
])

const library = createLibrary({ name: 'acme', version: '1.0.0', title: 'Acme' })
  .mount(files('./docs'))
  .resource('status://health', { title: 'Health' }, () => ({ ok: true, tickets: tickets.size }))
  .template(
    'ticket://{id}{?fields*}',
    { title: 'Ticket', list: () => [...tickets.keys()].map((id) => ({ id })) },
    ({ id, fields = [] }) => {
      const ticket = tickets.get(id)
      return fields.length === 0 ? ticket : fields.map((field) => ticket?.[field as 'subject' | 'status'])
    },
  )

await serveStdio(library)
