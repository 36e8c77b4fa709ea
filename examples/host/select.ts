import { localCall } from 'shelfmark'
import type { Provider } from 'shelfmark'
import { openAiChooser, openSearch, select } from 'shelfmark/host'
import type { Chooser, ResourceSearch } from 'shelfmark/host'

const call = localCall()

/** Answers from anything readable: a folder, a Library, a Hub of forty servers. The index follows what changes there. */
export async function openDesk(shelf: Provider, print: (line: string) => void): Promise<ResourceSearch> {
  return openSearch(shelf, call, { onNotice: ({ message }) => print(`note: ${message}`) })
}

/** What a model should read before it answers, in at most 4,000 tokens, and why just that. */
export async function contextFor(
  question: string,
  shelf: Provider,
  search: ResourceSearch,
  print: (line: string) => void,
  chooser?: Chooser,
): Promise<string> {
  await search.ready
  const selection = await select(shelf, call, question, { budget: 4_000, search, ...(chooser && { chooser }) })
  for (const { resource, reason } of selection.chosen) print(`+ ${resource.uri}: ${reason}`)
  for (const { resource, reason } of selection.rejected) print(`- ${resource.uri}: ${reason}`)
  return selection.chosen.flatMap(({ fitted }) => fitted.parts.map(({ text }) => text)).join('\n')
}

/** A model on this machine that chooses instead. When it fails, heuristics choose, and the reasons say so. */
export const librarian = (url: string): Chooser => openAiChooser({ url, model: 'llama3.2' })
