import type { Change, Provider, Reading } from '../../src/library/index.ts'
import type { Resource } from '../../src/protocol/index.ts'

/** A provider that lists and reads as it is told, and says when something changes. */
export function scripted(parts: Partial<Provider> & { readonly items?: readonly Resource[] } = {}) {
  const listeners = new Set<(change: Change) => void>()
  const { items = [], ...rest } = parts
  const provider: Provider = {
    name: 'scripted',
    prefixes: 'any',
    list: async () => ({ items }),
    read: async ({ uri }): Promise<Reading> => ({ kind: 'contents', contents: [{ uri, text: '' }] }),
    watch: async (onChange) => {
      listeners.add(onChange)
      return {
        add: async () => undefined,
        remove: () => undefined,
        [Symbol.asyncDispose]: async () => void listeners.delete(onChange),
      }
    },
    ...rest,
  }
  return {
    provider,
    listeners,
    tell: (change: Change): void => {
      for (const listener of listeners) listener(change)
    },
  }
}

/** A resource that says it is text. */
export const text = (name: string): Resource => ({ uri: `x:${name}`, name, mimeType: 'text/plain' })
