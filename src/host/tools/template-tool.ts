import type { Call, Provider } from '../../library/index.ts'
import type { ResourceTemplate } from '../../protocol/index.ts'
import type { ExpandValue, TemplateVariable } from '../../uri/index.ts'
import { expandTemplate, templateVariables } from '../../uri/index.ts'
import { explainRead } from './advice.ts'
import type { PropertySchema } from './json-schema.ts'
import { LONGEST_TEXT, objectSchema } from './json-schema.ts'
import { oneLine } from '../text/index.ts'
import type { Limits } from './options.ts'
import { readForModel } from './reader.ts'
import type { Suggested } from './template-hints.ts'
import { examplesOf, suggest } from './template-hints.ts'
import type { Tool } from './tool.ts'
import { READ_ONLY } from './tool.ts'

/** Values of a list. */
const MOST_ITEMS = 100
/** A name that every model takes for an argument. */
const ARGUMENT = /^[a-zA-Z0-9_-]{1,64}$/

interface Argument {
  readonly argument: string
  readonly variable: TemplateVariable
}

/**
 * A tool that reads the resources of one template by its variables. Undefined for a template that is none, which other
 * servers may list, and for one without variables.
 */
export async function templateTool(
  data: Provider,
  name: string,
  template: ResourceTemplate,
  call: Call,
  limits: Limits,
): Promise<Tool | undefined> {
  const { uriTemplate } = template
  const variables = argumentsOf(uriTemplate)
  if (variables.length === 0) return undefined
  const names = variables.map(({ variable }) => variable.name)
  const suggested = await suggest(data, uriTemplate, names, call)
  const properties = variables.map(
    ({ argument, variable }) => [argument, propertyOf(variable, uriTemplate, suggested.get(variable.name))] as const,
  )
  const required = variables.filter(({ variable }) => variable.required).map(({ argument }) => argument)
  const title = oneLine(template.title ?? template.name, 120)
  const said = template.description === undefined ? '' : ` ${oneLine(template.description, 500)}`
  return {
    definition: {
      name,
      title,
      description: `Reads ${title}: the resource ${oneLine(uriTemplate, 300)} with these values.${said}`,
      inputSchema: objectSchema(properties, required),
      annotations: READ_ONLY,
    },
    run: async (args, asked) => {
      let uri = uriTemplate
      try {
        uri = expandTemplate<string>(uriTemplate, valuesOf(variables, args))
        return await readForModel(data, uri, 0, asked, limits)
      } catch (error) {
        const known = [...suggested].flatMap(([variable, { values }]) =>
          values.slice(0, 3).map((value) => `${oneLine(variable, 60)}: ${oneLine(value, 60)}`),
        )
        return explainRead(error, uri, asked, known)
      }
    },
  }
}

function argumentsOf(template: string): readonly Argument[] {
  let variables: readonly TemplateVariable[]
  try {
    variables = templateVariables(template)
  } catch {
    return []
  }
  const names = new Set(variables.map(({ name }) => name))
  return variables.map((variable, index) => ({
    argument: ARGUMENT.test(variable.name) && variable.name !== '__proto__' ? variable.name : numbered(index + 1, names),
    variable,
  }))
}

/** A name for a variable whose own no model takes, which no other variable has. */
function numbered(number: number, names: ReadonlySet<string>): string {
  let name = `value_${number}`
  while (names.has(name)) name += '_'
  return name
}

function propertyOf(variable: TemplateVariable, template: string, suggested?: Suggested): PropertySchema {
  const { name, required, list } = variable
  const examples = suggested === undefined ? '' : examplesOf(suggested)
  const description = [
    `The ${oneLine(name, 64)} of ${oneLine(template, 200)}, ${writtenAs(variable)}`,
    ...(examples === '' ? [] : [`, ${examples}`]),
    ...(required ? [] : ['. Optional: without it the default of the server holds']),
  ].join('')
  if (list) return { type: 'array', items: { type: 'string' }, maxItems: MOST_ITEMS, description }
  // Completions of paths go one level at a time: what ends with a slash is not a whole value.
  const isWhole =
    suggested?.isAll === true && suggested.values.length > 0 && !suggested.values.some((value) => value.endsWith('/'))
  return { type: 'string', maxLength: LONGEST_TEXT, description, ...(isWhole && { enum: suggested.values }) }
}

/** `{+v}` and `{#v}` keep triplets and reserved characters as they are (RFC 6570 section 3.2.3). */
function writtenAs({ exceptions }: TemplateVariable): string {
  return exceptions.includes('triplet')
    ? 'as it stands in the URI: a ?, # or % of its own is written %3F, %23 or %25'
    : 'as it is: it will be percent-encoded'
}

/** What models give for a value that they leave open is an empty text. */
function valuesOf(variables: readonly Argument[], args: ReadonlyMap<string, unknown>): Record<string, ExpandValue> {
  const values = variables.flatMap(({ argument, variable: { name, required } }) => {
    const value = args.get(argument) as string | readonly string[] | undefined
    return value === undefined || (value === '' && !required) ? [] : [[name, value] as const]
  })
  return Object.fromEntries(values)
}
