import type { Tool as ListedTool } from '@modelcontextprotocol/server'
import type { FastifyInstance } from 'fastify'
import { type Describable, describe, hooksAround, type ServiceDescription } from '../core/description.js'
import { traitsOf } from '../core/hooks.js'
import { hintFor } from '../core/options.js'
import { joinPath } from '../core/path.js'
import { ComponentNames } from '../openapi/components.js'
import type { Json } from '../openapi/json-schema.js'
import { wordsOf } from '../openapi/names.js'
import { toOperation } from '../openapi/operation.js'
import { toQuerySchema } from '../openapi/parameters.js'
import { DocumentedServices } from '../openapi/service.js'
import { routePath } from '../server/request/arguments.js'
import { takesQuery } from '../server/request/query-body.js'
import type { McpOptions } from './options.js'
import { toQueryArgument } from './query-argument.js'
import { type SelectedMethod, selectMethods } from './selection.js'
import { loosen, withDefinitions } from './tool-schema.js'

/** The route of a method. */
export interface Route extends Pick<SelectedMethod, 'method' | 'form'> {
  /** The path with placeholders: `projects/:projectId/issues/:id`. */
  readonly path: string
  /** Whether it can be called by QUERY, with the query as JSON. */
  readonly takesQuery: boolean
}

/** A method as agents see it. */
export interface Tool extends SelectedMethod, Route {
  /** The tool in `tools/list`. */
  readonly listed: ListedTool
  /** The name by which agents call it. With one tool for each service, its methods share it. */
  readonly toolName: string
  readonly methodName: string
  /** The names of its arguments. */
  readonly argumentNames: readonly string[]
  /** Whether the user of the agent must say yes to each call. */
  readonly needsUser: boolean
  /** The route that gets the record which is called. `undefined` if there is none. */
  readonly recordRoute: Route | undefined
}

/** Names of arguments, besides the placeholders of the path. */
const ownArguments = ['query', 'data', 'idempotencyKey']

/**
 * Creates the tools of an application.
 *
 * @throws {Error} if a name in the options is unknown, a method can't be a tool, or two tools have
 * one name
 */
export function createTools(app: FastifyInstance, options: McpOptions): readonly Tool[] {
  const selected = selectMethods(app, options.services)
  const entries = [...new Set(selected.map(({ entry }) => entry))]
  const documented = documentServices(entries)
  const { names = {}, confirm = [], mode } = options
  const isCompact = mode === 'compact'
  const reserved = [...ownArguments, ...(isCompact ? ['method'] : [])]
  const methods = selected.map(({ name }) => name)
  checkToolNames('names', Object.keys(names), isCompact ? entries.map(({ path }) => path) : methods)
  checkToolNames('confirm', confirm, methods)
  /** What each name stands for. */
  const taken = new Map<string, string>()
  return selected.map((method) => {
    const { path } = method.entry
    const methodName = method.name.slice(path.length + 1)
    const source = isCompact ? path : method.name
    const toolName = names[source] ?? toToolName(path, isCompact ? '' : methodName)
    checkName(toolName, source, taken.get(toolName))
    taken.set(toolName, source)
    const name = isCompact ? toToolName(path, methodName) : toolName
    const needsUser = method.form.verb === 'DELETE' || confirm.includes(method.name)
    return { ...createTool(name, method, documented, reserved), toolName, methodName, needsUser }
  })
}

/** @throws {Error} if an option names what is no tool */
function checkToolNames(option: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new Error(`The option \`${option}\` of mcp names '${unknown}', which is no tool${hintFor(unknown, known)}`)
}

/** `projects/:projectId/issues`, `markRead` → `projects_issues_mark_read` */
function toToolName(path: string, methodName: string): string {
  const segments = path.split('/').filter((segment) => !segment.startsWith(':'))
  return [...segments, methodName].flatMap(wordsOf).join('_')
}

// Clients put the name of the server before it, and allow 64 characters in all.
const validName = /^[a-z][a-z0-9_]{0,43}$/

/** @param source the method or the service that the name stands for */
function checkName(name: string, source: string, other = source): void {
  const advice = `name it by the option \`names\`: { '${source}': '…' }`
  if (!validName.test(name))
    throw new Error(
      `mcp: '${name}' can't be the name of a tool, which has at most 44 letters, digits and '_': ${advice}`
    )
  if (other !== source) throw new Error(`mcp: '${source}' and '${other}' would both be the tool '${name}': ${advice}`)
}

/** Describes services as an OpenAPI document does. */
function documentServices(entries: readonly Describable[]): DocumentedServices {
  const shared = new Map(entries.map((entry) => [describe(entry), () => (entry.app as FastifyInstance).getSchemas()]))
  const components = { schemas: {}, parameters: {}, responses: {}, securitySchemes: {} }
  return new DocumentedServices(shared, components, new ComponentNames(), '3.1.0')
}

function createTool(
  name: string,
  selected: SelectedMethod,
  services: DocumentedServices,
  reserved: readonly string[]
): Omit<Tool, 'toolName' | 'methodName' | 'needsUser'> {
  const { entry, method, form } = selected
  const path = joinPath(entry.path, routePath(entry.path, form.path))
  const url = `/${path.replace(/:(\w+)/g, '{$1}')}`
  const service = services.at(entry.path)
  const described = service.description.methods.find((other) => other.name === method.name) ?? method
  const source = { url, method: described, form, service, services }
  const operation: unknown = toOperation(source)
  const { summary, description, parameters, requestBody, responses } = operation as ToolOperation
  const query = toQueryArgument(
    services.components.copy(toQuerySchema({ ...source, id: name }), name),
    selected,
    services.components
  )
  const takesKey = hooksAround(entry, method.name, ['around']).some((hook) =>
    traitsOf(hook).takesKeys?.(entry, method.name, form.verb)
  )
  const inPath = (parameters ?? []).filter((parameter) => parameter.in === 'path')
  const taken = inPath.find((parameter) => reserved.includes(parameter.name))
  if (taken !== undefined)
    throw new Error(`mcp can't offer '${selected.name}': its placeholder ':${taken.name}' has the name of an argument`)
  const body = dataSchemaOf(selected, requestBody)
  const properties: Json = {
    ...Object.fromEntries(inPath.map(({ name, schema, description }) => [name, { ...schema, description }])),
    ...(query && { query }),
    ...(body && { data: body }),
    ...(takesKey && {
      idempotencyKey: { type: 'string', description: 'Any new text. A repeated call with the same text runs once.' }
    })
  }
  const required = [...inPath.map(({ name }) => name), ...(body && requestBody?.required ? ['data'] : [])]
  const result = resultOf(responses)
  const listed: unknown = {
    name,
    description: [summary, description].filter(Boolean).join('. '),
    inputSchema: withDefinitions(
      { type: 'object', properties, required, additionalProperties: false },
      services.components
    ),
    ...(result && { outputSchema: withDefinitions(loosen(result), services.components, loosen) }),
    annotations: {
      readOnlyHint: form.verb === 'GET',
      destructiveHint: form.verb !== 'GET' && method.name !== 'create',
      idempotentHint: ['GET', 'PUT', 'DELETE'].includes(form.verb),
      openWorldHint: false
    }
  }
  return {
    ...selected,
    path,
    takesQuery: !form.byHeader && takesQuery(method.definition, entry),
    recordRoute: form.hasId ? recordRouteOf(service.description) : undefined,
    argumentNames: Object.keys(properties),
    listed: listed as ListedTool
  }
}

function recordRouteOf({ path, methods }: ServiceDescription): Route | undefined {
  const method = methods.find(({ name }) => name === 'get')
  const [form] = method?.forms ?? []
  if (method === undefined || form === undefined) return undefined
  return { method, form, path: joinPath(path, routePath(path, form.path)), takesQuery: false }
}

/** The parts of an operation of OpenAPI that a tool is made of. */
interface ToolOperation {
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly schema: Json
    readonly description?: string
  }[]
  readonly requestBody?: { readonly required: boolean; readonly content: Contents }
  readonly responses: Readonly<Record<string, { readonly content?: Contents }>>
}

type Contents = Readonly<Record<string, { readonly schema?: Json } | undefined>>
const jsonContent = 'application/json'

/** @throws {Error} if the body is not JSON, but a form with files for example */
function dataSchemaOf({ name, form }: SelectedMethod, body: ToolOperation['requestBody']): Json | undefined {
  if (body === undefined) return undefined
  const schema = body.content[jsonContent]?.schema
  if (schema === undefined)
    throw new Error(`mcp can't offer '${name}': agents send JSON, and it takes files or another type`)
  // `create` takes a record or a list, and each is a tool of its own.
  const [record, list] = Array.isArray(schema.oneOf) && schema.oneOf.length === 2 ? schema.oneOf : []
  if (list?.type !== 'array') return schema
  return form.isMany ? list : record
}

/** Returns the schema of a JSON result that is never empty. */
function resultOf(responses: ToolOperation['responses']): Json | undefined {
  const successes = Object.keys(responses).filter((status) => status.startsWith('2'))
  if (successes.length !== 1) return undefined
  const schema = responses[String(successes)]?.content?.[jsonContent]?.schema
  return schema && Object.keys(schema).length > 0 ? schema : undefined
}
