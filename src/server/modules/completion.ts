import { ShelfError } from '../../errors.ts'
import type { Method, MethodModule } from '../../library/index.ts'
import type { UncheckedObject } from '../../protocol/index.ts'
import { COMPLETE, objectParam, stringParam } from '../../protocol/index.ts'
import { requiredObject } from '../params.ts'

/** `completion/complete`, handed to the module that knows the type of `ref` (server/utilities/completion). */
export function completionMethod(modules: () => readonly MethodModule[], limit: number): Method {
  return {
    descriptor: COMPLETE,
    handle: async (params, exchange) => {
      const ref = requiredObject(params, 'ref')
      const type = stringParam(ref, 'type')
      const argument = requiredObject(params, 'argument')
      const completers = modules().flatMap((module) => (module.completes === undefined ? [] : [module.completes]))
      const completer = completers.find((one) => one.type === type)
      if (completer === undefined) {
        const known = completers.map((one) => one.type).join(', ')
        throw new ShelfError('invalid-params', `params.ref.type must be one of ${known}`, { param: 'ref' })
      }
      const request = {
        ref,
        variable: stringParam(argument, 'name'),
        prefix: stringParam(argument, 'value'),
        arguments: chosen(params),
        limit,
      }
      const completion = await completer.complete(request, exchange)
      const values = completion.values.slice(0, limit)
      const total = completion.total
      return {
        kind: 'result',
        value: {
          completion: {
            values,
            ...(total !== undefined && { total }),
            hasMore: completion.hasMore ?? (total !== undefined ? total > values.length : completion.values.length > limit),
          },
        },
      }
    },
  }
}

/** `context.arguments`, of which only strings count. */
function chosen(params: UncheckedObject): { readonly [name: string]: string } {
  const given = objectParam(objectParam(params, 'context') ?? {}, 'arguments') ?? {}
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string')
      throw new ShelfError('invalid-params', 'params.context.arguments must hold strings', { param: 'context' })
    if (name !== '__proto__') found[name] = value
  }
  return found
}
