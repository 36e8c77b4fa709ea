import { createLibrary, rate } from 'shelfmark'
import type { Library, Provider } from 'shelfmark'

/** A catalogue of which each caller gets 5 answers a second, 20 of them at once after a rest. */
export function catalogue(books: Provider): Library {
  return createLibrary({ name: 'catalogue' })
    .mount(books)
    .use(rate({ perSecond: 5, burst: 20 }))
}
