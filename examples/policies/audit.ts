import { audit, concurrency, createLibrary, deadline, rate } from 'shelfmark'
import type { Provider } from 'shelfmark'
import { openAuditFile } from 'shelfmark/runtime/audit-file'

/** Papers of which each access is written down, also one that another policy refuses. Close the log after the server. */
export async function archive(papers: Provider, file: string) {
  const log = await openAuditFile(file)
  const library = createLibrary({ name: 'archive' })
    .mount(papers)
    .use(audit({ sink: log }))
    .use(rate())
    .use(concurrency())
    .use(deadline())
  return { library, log }
}
