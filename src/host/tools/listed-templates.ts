import type { Call, Page, Position, Provider } from '../../library/index.ts'
import type { ResourceTemplate } from '../../protocol/index.ts'

/** So many are looked through. */
const MOST = 1_000

/** The templates that a caller may see now. */
export async function listedTemplates(data: Provider, call: Call): Promise<readonly ResourceTemplate[]> {
  if (data.templates === undefined) return []
  const found: ResourceTemplate[] = []
  let looked = 0
  let after: Position | undefined
  do {
    const request = { limit: 200, ...(after !== undefined && { after }) }
    const page: Page<ResourceTemplate> = await data.templates(request, call)
    found.push(...page.items)
    looked += Math.max(1, page.items.length)
    after = page.next
  } while (after !== undefined && looked < MOST)
  return found.slice(0, MOST)
}
