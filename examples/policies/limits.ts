import { createLibrary, limits } from 'shelfmark'
import type { Library, Provider } from 'shelfmark'

/** What a guest brings along, within bounds: nothing of more than 1 MiB, and no directory deeper than eight levels. */
export function guesthouse(guest: Provider): Library {
  return createLibrary({ name: 'guesthouse' })
    .mount(limits({ maxRead: 1024 * 1024, depth: 8 })(guest), { at: 'guest' })
    .resource('house://rules', { title: 'House rules' }, () => 'Quiet after ten')
}
