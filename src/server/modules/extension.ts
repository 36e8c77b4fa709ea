import type { MethodModule } from '../../library/index.ts'
import { EXTENSION_RESOURCES, RESOURCES_STAT, shapeItems, stringParam } from '../../protocol/index.ts'
import { asAbsent } from '../absent.ts'
import type { Data } from '../access.ts'
import { toldVersion } from '../extended-read.ts'
import type { Limits } from '../limits.ts'

/** Our own extension (docs/extension.md): what it adds to reads is theirs, stat is here. */
export function extensionModule(data: Data, limits: Limits): MethodModule {
  return {
    name: 'extension',
    extensions: () => ({
      [EXTENSION_RESOURCES]: { ranges: true, versions: true, stat: true, maxRead: limits.maxRead },
    }),
    methods: [
      {
        descriptor: RESOURCES_STAT,
        handle: async (params, exchange) => {
          const uri = stringParam(params, 'uri')
          try {
            const stat = await data.stat({ uri }, exchange)
            const [resource] = shapeItems([stat.resource], exchange.revision)
            const version = toldVersion(stat.version)
            return {
              kind: 'result',
              value: { resource, ...(version !== undefined && { version }) },
              ...(stat.hint && { hint: stat.hint }),
            }
          } catch (error) {
            throw asAbsent(error, uri)
          }
        },
      },
    ],
  }
}
