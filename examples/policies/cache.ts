import { cache, createLibrary } from 'shelfmark'
import type { Library, Provider } from 'shelfmark'

/** Papers from an archive that is slow: what was read once is there at once for a minute, or until the archive tells of it. */
export function newsstand(archive: Provider): Library {
  return createLibrary({ name: 'newsstand' })
    .mount(archive)
    .use(cache({ ttlMs: 60_000 }))
}
