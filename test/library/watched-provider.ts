import type { Change, Provider } from '../../src/index.ts'

/** A provider that says what is done to its watch, and emits what it is told to. */
export function watched(
  name: string,
  arm: () => Promise<void> = async () => {},
  add: (uri: string) => Promise<void> = async () => {},
) {
  const said: string[] = []
  const heard = new Set<(change: Change) => void>()
  const provider: Provider = {
    name,
    prefixes: [`${name}:`],
    list: async () => ({ items: [] }),
    read: async ({ uri }) => ({ kind: 'contents', contents: [{ uri, text: '' }] }),
    watch: async (onChange) => {
      said.push('watch')
      await arm()
      heard.add(onChange)
      return {
        add: async (uri) => {
          said.push(`add ${uri}`)
          await add(uri)
        },
        remove: (uri) => void said.push(`remove ${uri}`),
        [Symbol.asyncDispose]: async () => {
          heard.delete(onChange)
          said.push('dispose')
        },
      }
    },
  }
  const emit = (change: Change) => heard.forEach((hear) => hear(change))
  return { provider, said, emit }
}
