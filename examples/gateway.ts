import { createLibrary } from 'shelfmark'
import { openServer } from 'shelfmark/transports/open'
import { upstream } from 'shelfmark/providers/upstream'

/** One server made of several, and of something of its own. */
export function gateway(servers: { readonly handbook: string; readonly tickets: string }) {
  const others = upstream({
    servers: { handbook: openServer(servers.handbook), tickets: openServer(servers.tickets) },
    onNotice: ({ provider, message }) => console.error(`${provider}: ${message}`),
  })
  return createLibrary({ name: 'front-desk', version: '1.0.0' })
    .mount(others) // handbook+file:///..., tickets+ticket://...
    .resource('desk://hours', { title: 'Opening hours' }, () => 'Monday to Friday, 9 to 18')
}
