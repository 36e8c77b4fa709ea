import { ShelfError } from '../../errors.ts'
import type { Library, Method, MethodModule } from '../../library/index.ts'
import type { MethodDescriptor } from '../../protocol/index.ts'
import { TOOLS_CALL, TOOLS_LIST } from '../../protocol/index.ts'
import type { Settings } from './settings.ts'

/** For hosts that know only tools. They are loaded when the first host asks for them. */
export function toolModules(library: Library, which: Settings['tools']): readonly MethodModule[] {
  if (which === 'none') return []
  let opened: Promise<MethodModule> | undefined
  const open = async (): Promise<MethodModule> => {
    const { openResourceTools, resourceToolsModule } = await import('../../host/tools/index.ts')
    return resourceToolsModule(openResourceTools(library, { templates: which === 'templates' }))
  }
  const later = (descriptor: MethodDescriptor): Method => ({
    descriptor,
    handle: async (params, exchange) => {
      const { methods } = await (opened ??= open())
      const method = methods.find((one) => one.descriptor === descriptor)
      if (method === undefined) throw new ShelfError('internal', `The tools do not answer ${descriptor.method}`, {})
      return method.handle(params, exchange)
    },
  })
  return [{ name: 'tools', capabilities: () => ({ tools: {} }), methods: [later(TOOLS_LIST), later(TOOLS_CALL)] }]
}
