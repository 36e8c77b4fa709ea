import { createLibrary, redact } from 'shelfmark'
import type { Library, Provider } from 'shelfmark'

/** Notes in which somebody may have left a token. The log says where, never what. */
export function notebook(notes: Provider, log: (line: string) => void): Library {
  return createLibrary({ name: 'notebook' })
    .mount(notes)
    .use(
      redact({
        patterns: [{ name: 'badge', prefix: 'BADGE-', characters: '0-9A-F', atLeast: 8 }],
        onRedact: ({ uri, name, count }) => log(`${uri}: ${count} of ${name}`),
      }),
    )
}
