import { notFound, ShelfError } from 'shelfmark'
import type { Provider } from 'shelfmark'

/** Where rows come from: a database, an API. */
export interface Orders {
  /** Rows with a greater number than `after`, in order. */
  page(after: number, limit: number): Promise<readonly { readonly id: number; readonly note: string }[]>
  find(id: number): Promise<{ readonly note: string } | undefined>
}

export function orders(source: Orders): Provider {
  return {
    name: 'orders',
    prefixes: ['orders://'],
    async list({ after = 0, limit }, { signal }) {
      signal.throwIfAborted()
      const rows = await source.page(Number(after), limit + 1)
      const items = rows
        .slice(0, limit)
        .map(({ id, note }) => ({ uri: `orders://${id}`, name: `Order ${id}`, description: note }))
      const last = rows[limit - 1]
      return rows.length > limit && last !== undefined ? { items, next: last.id } : { items }
    },
    async read({ uri, maxBytes }) {
      const id = /^orders:\/\/(\d+)$/.exec(uri)?.[1]
      const order = id === undefined ? undefined : await source.find(Number(id))
      if (order === undefined) throw notFound(uri)
      const size = new TextEncoder().encode(order.note).length
      if (size > maxBytes)
        throw new ShelfError('too-large', `The note has ${size} bytes, the limit is ${maxBytes}`, { size, limit: maxBytes })
      return { kind: 'contents', contents: [{ uri, mimeType: 'text/plain', text: order.note }] }
    },
  }
}
