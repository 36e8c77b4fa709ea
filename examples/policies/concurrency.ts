import { concurrency, createLibrary } from 'shelfmark'
import type { Library, Provider } from 'shelfmark'

/** Reports that are made one at a time, in a Library that answers 32 requests at once, and four of each caller. */
export function office(reports: Provider): Library {
  return createLibrary({ name: 'office' })
    .mount(concurrency({ total: 1, queue: 20 })(reports))
    .resource('office://hours', { title: 'Opening hours' }, () => 'Monday to Friday, 9 to 18')
    .use(concurrency({ total: 32, perPrincipal: 4 }))
}
