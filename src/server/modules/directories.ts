import { notFound, ShelfError } from '../../errors.ts'
import type { Exchange, Library, MethodModule } from '../../library/index.ts'
import type { Data } from '../access.ts'
import {
  DIRECTORY_READ,
  EXTENSION_SKILLS,
  isLegacy,
  shapeItems,
  SKILLS_GET,
  SKILLS_LIST,
  stringParam,
} from '../../protocol/index.ts'

/**
 * Directories (ext-skills, Reading Directories). Declaring them means declaring the skills extension, and so
 * `skills/list` and `skills/get` are answered too: there are none.
 */
export function directoriesModule(library: Library, data: Data): MethodModule {
  return {
    name: 'directories',
    active: () => library.hasDirectories,
    extensions: () => ({ [EXTENSION_SKILLS]: { directoryRead: true } }),
    methods: [
      {
        descriptor: DIRECTORY_READ,
        handle: async (params, exchange) => {
          const uri = stringParam(params, 'uri')
          try {
            return await exchange.listing(params, {
              query: `${DIRECTORY_READ.method} ${uri}`,
              member: 'resources',
              hint: data.listHint,
              fetch: (request) => data.children({ ...request, uri }, exchange),
              shape: (items) => shapeItems(items, exchange.revision),
            })
          } catch (error) {
            throw ShelfError.is(error, 'not-found') || ShelfError.is(error, 'invalid-uri') ? notThere(uri, exchange) : error
          }
        },
      },
      {
        descriptor: SKILLS_LIST,
        handle: (params, exchange) =>
          exchange.listing(params, { query: SKILLS_LIST.method, member: 'skills', fetch: async () => ({ items: [] }) }),
      },
      {
        descriptor: SKILLS_GET,
        handle: (params, exchange) => {
          throw notThere(stringParam(params, 'uri'), exchange)
        },
      },
    ],
  }
}

/** -32602 in both eras, unlike the "not found" of a legacy read (ext-skills, Error Handling); modern clients get the URI too. */
function notThere(uri: string, { revision }: Exchange): ShelfError {
  const absent = notFound(uri)
  return isLegacy(revision) ? new ShelfError('invalid-params', absent.message, { param: 'uri' }) : absent
}
