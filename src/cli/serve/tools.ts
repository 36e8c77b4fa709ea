import { ShelfError } from '../../errors.ts'
import type { Library, Method, MethodModule, ModuleSignals } from '../../library/index.ts'
import { topicFilter } from '../../library/index.ts'
import type { MethodDescriptor } from '../../protocol/index.ts'
import { TOOLS_CALL, TOOLS_CHANGED, TOOLS_LIST } from '../../protocol/index.ts'
import type { Settings } from './settings.ts'

interface Opened extends AsyncDisposable {
  readonly module: MethodModule
}

/** For hosts that know only tools. They are loaded when the first host asks for them. */
export function toolModules(library: Library, which: Settings['tools']): readonly MethodModule[] {
  if (which === 'none') return []
  let signals: ModuleSignals | undefined
  let opened: Promise<Opened> | undefined
  const open = async (): Promise<Opened> => {
    const { openResourceTools, resourceToolsModule } = await import('../../host/tools/index.ts')
    const tools = openResourceTools(library, { templates: which === 'templates' })
    const module = resourceToolsModule(tools)
    if (signals !== undefined) module.start?.(signals)
    return { module, [Symbol.asyncDispose]: () => tools[Symbol.asyncDispose]() }
  }
  const later = (descriptor: MethodDescriptor): Method => ({
    descriptor,
    handle: async (params, exchange) => {
      const { module } = await (opened ??= open())
      const method = module.methods.find((one) => one.descriptor === descriptor)
      if (method === undefined) throw new ShelfError('internal', `The tools do not answer ${descriptor.method}`, {})
      return method.handle(params, exchange)
    },
  })
  return [
    {
      name: 'tools',
      ...(which === 'templates' && { listens: [topicFilter('toolsListChanged', TOOLS_CHANGED.method)] }),
      capabilities: () => ({ tools: which === 'templates' ? { listChanged: true } : {} }),
      methods: [later(TOOLS_LIST), later(TOOLS_CALL)],
      start: (given) => {
        signals = given
      },
      stop: async () => (await opened?.catch(() => undefined))?.[Symbol.asyncDispose](),
    },
  ]
}
