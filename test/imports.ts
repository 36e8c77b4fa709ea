import { parseSync } from 'vite'

/** One import of a source file, in whatever form it is written. */
export interface Import {
  readonly specifier: string
  readonly line: number
  readonly kind: 'static' | 'type' | 'dynamic'
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value

/** The literal that names a module, or undefined where an expression does. */
function literal(source: unknown): string | undefined {
  if (isNode(source) && typeof source.value === 'string') return source.value
  if (isNode(source) && isNode(source.literal) && typeof source.literal.value === 'string') return source.literal.value
  return undefined
}

/** `import type`, `export type`, and lists in which each name is marked `type`. */
function isTypeOnly(node: Node): boolean {
  if (node.importKind === 'type' || node.exportKind === 'type') return true
  const names = Array.isArray(node.specifiers) ? node.specifiers.filter(isNode) : []
  return names.length > 0 && names.every((name) => name.importKind === 'type' || name.exportKind === 'type')
}

function importOf(node: Node): { readonly source: unknown; readonly kind: Import['kind'] } | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
      return { source: node.source, kind: isTypeOnly(node) ? 'type' : 'static' }
    case 'ExportNamedDeclaration':
      return node.source ? { source: node.source, kind: isTypeOnly(node) ? 'type' : 'static' } : undefined
    case 'ImportExpression':
      return { source: node.source, kind: 'dynamic' }
    case 'TSImportType':
      return { source: node.source ?? node.argument, kind: 'type' }
    case 'TSExternalModuleReference':
      return { source: node.expression, kind: 'static' }
    default:
      return undefined
  }
}

/** Every import of a TypeScript file: static, type-only, re-exported, dynamic, and `import('x').T`. */
export function importsOf(path: string, text: string): Import[] {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const found: Import[] = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (!isNode(value)) return
    const one = importOf(value)
    if (one) {
      const line = text.slice(0, value.start).split('\n').length
      const specifier = literal(one.source)
      // What is computed cannot be held against the table.
      if (specifier === undefined) throw new Error(`${path}:${line}: the module is not named by a literal`)
      found.push({ specifier, line, kind: one.kind })
    }
    for (const child of Object.values(value)) if (typeof child === 'object') visit(child)
  }
  visit(program)
  return found
}
