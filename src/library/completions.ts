import { ShelfError } from '../errors.ts'
import { templateVariables } from '../uri/index.ts'
import type { Call } from './call.ts'
import { enumerateAll } from './enumeration.ts'
import type { Completer, CompleterResult } from './options.ts'
import type { OwnTemplate } from './own-template.ts'
import type { CompleteRequest, Completion } from './provider.ts'

/**
 * Values for one variable of a template: from its completer, else from the enumeration of known values,
 * narrowed by what was chosen for other variables; none when neither is there.
 *
 * @throws ShelfError `invalid-params` for a variable that the template does not have
 */
export async function completeFrom(
  own: OwnTemplate,
  request: CompleteRequest,
  call: Call,
  budgetMs: number,
): Promise<Completion> {
  const names = templateVariables(own.parsed).map((variable) => variable.name)
  if (!names.includes(request.variable)) {
    throw new ShelfError(
      'invalid-params',
      `${own.text} has no variable ${JSON.stringify(request.variable)}; it has ${names.join(', ')}`,
      {
        param: 'argument.name',
      },
    )
  }
  const completers: { readonly [name: string]: Completer | undefined } = own.options.complete ?? {}
  const completer = Object.hasOwn(completers, request.variable) ? completers[request.variable] : undefined
  if (typeof completer === 'function') {
    const result = await completer(request.prefix, { arguments: request.arguments, call })
    return isList(result) ? narrowed(result, request) : capped(result, request.limit)
  }
  if (completer !== undefined) return narrowed(completer, request)
  if (own.options.list === undefined) return { values: [], total: 0, hasMore: false }
  return narrowed(await known(own, request, call, budgetMs), request)
}

function isList(result: CompleterResult): result is readonly string[] {
  return Array.isArray(result)
}

async function known(own: OwnTemplate, request: CompleteRequest, call: Call, budgetMs: number): Promise<readonly string[]> {
  const { values } = await enumerateAll(own, call, budgetMs)
  const found = new Set<string>()
  for (const one of values) {
    const agrees = Object.entries(request.arguments).every(([name, text]) => one[name] === undefined || one[name] === text)
    const value = one[request.variable]
    if (agrees && typeof value === 'string') found.add(value)
  }
  return [...found]
}

function narrowed(values: readonly string[], request: CompleteRequest): Completion {
  const prefix = request.prefix.toLowerCase()
  const fitting = values.filter((value) => value.toLowerCase().startsWith(prefix))
  return { values: fitting.slice(0, request.limit), total: fitting.length, hasMore: fitting.length > request.limit }
}

function capped(completion: Completion, limit: number): Completion {
  if (completion.values.length <= limit) return completion
  return { total: completion.values.length, ...completion, values: completion.values.slice(0, limit), hasMore: true }
}
