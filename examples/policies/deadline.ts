import { createLibrary, deadline } from 'shelfmark'
import type { Library } from 'shelfmark'

/** A page of a site that may hang: whoever reads it hears so after five seconds, and the request to the site is ended. */
export function weather(site: string): Library {
  return createLibrary({ name: 'weather' })
    .resource('weather://today', { title: 'Weather' }, async ({ signal }) => {
      const response = await fetch(site, { signal })
      return response.text()
    })
    .use(deadline({ ms: 5_000 }))
}
