import { openClient, pickContents } from 'shelfmark/client'
import { openServer } from 'shelfmark/transports/open'

/** Prints the first texts of any server, and each again when it changes: `https://...`, a command, or `@name`. */
export async function follow(server: string, print: (text: string) => void, signal: AbortSignal): Promise<void> {
  const client = openClient(openServer(server), { onNotice: ({ message }) => print(`note: ${message}`) })
  signal.addEventListener('abort', () => void client.close())

  const uris: string[] = []
  for await (const { uri } of client.list()) {
    uris.push(uri)
    if (uris.length === 10) break // further pages are not asked for
  }
  const show = async (uri: string): Promise<void> => {
    const { contents } = await client.read(uri)
    print(`${uri}: ${pickContents(contents, ['text/*', 'application/json'])?.text ?? 'no text'}`)
  }
  const watch = client.watch(uris)
  await watch.ready // from here on nothing is missed
  for (const uri of uris) await show(uri)
  for await (const event of watch) if (event.kind !== 'list' && event.uri !== undefined) await show(event.uri)
}
