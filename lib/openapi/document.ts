import {
  type Describable,
  describe,
  type Form,
  type MethodDescription,
  type RouteDocumentation,
  type RouteMark,
  type ServiceDescription
} from '../core/description.js'
import type { Endpoint } from '../core/methods.js'
import { pluginState } from '../core/plugin-state.js'
import type { ComponentMaps, ComponentNames } from './components.js'
import type { Json } from './json-schema.js'
import { takeName } from './names.js'
import { toOperation } from './operation.js'
import { eventStream, toEventStream } from './responses.js'
import type { SecurityRequirements } from './security.js'
import { DocumentedServices, isSince32 } from './service.js'

/** The part of an operation that is added when all routes are known. */
interface Postponed {
  /** The route of a service, which gets its whole operation then. */
  readonly mark?: RouteMark
  /** The security of another route of this library. */
  readonly schemes?: RouteDocumentation['security']
  /** The security of a route of the application. */
  readonly requirements?: SecurityRequirements
}

const postponedKey = 'x-fastify-services'

/** Keeps data in a schema, since `@fastify/swagger` throws for unknown security schemes. */
export function postpone(schema: object, postponed: Postponed): object {
  const { security: _, ...others } = schema as { security?: unknown }
  // A function, because the plugin walks through objects, and a service may lead back to itself.
  return { ...others, [postponedKey]: () => postponed }
}

interface OperationObject extends Json {
  [postponedKey]?: () => Postponed
  security?: SecurityRequirements
}

interface Document {
  readonly openapi: string
  readonly paths: Record<string, Record<string, OperationObject>>
  components: ComponentMaps & { readonly securitySchemes: Readonly<Record<string, unknown>> }
  security?: SecurityRequirements
  /** The path of the tools for agents. */
  'x-mcp'?: string
  tags?: readonly { readonly name: string; readonly description?: string }[]
}

/** Describes each service once for a document. */
export class Descriptions {
  readonly #byEntry = new Map<Describable, ServiceDescription>()

  of(entry: Describable): ServiceDescription {
    const description = this.#byEntry.get(entry) ?? describe(entry)
    this.#byEntry.set(entry, description)
    return description
  }
}

/**
 * Adds the operations of services to a document, and the components that they refer to.
 * @param security the requirements of the whole document
 */
export function completeDocument(
  original: object,
  descriptions: Descriptions,
  names: ComponentNames,
  security: SecurityRequirements | undefined
): void {
  const document = original as Document
  const { paths, components, tags = [] } = document
  const operations = Object.entries(paths).flatMap(([url, { additionalOperations = {}, ...item }]) =>
    [item, additionalOperations as Json as typeof item].flatMap((operationsByVerb) =>
      Object.entries(operationsByVerb).map(([verb, operation]) => ({
        url,
        verb,
        operation,
        ...operation[postponedKey]?.()
      }))
    )
  )
  const marks = operations.flatMap(({ mark }) => mark ?? [])
  const shared = new Map(marks.map((mark) => [descriptions.of(mark.entry), mark.shared]))
  const services = new DocumentedServices(shared, components, names, document.openapi)
  const ids = new Set(operations.map(({ operation }) => operation.operationId))
  for (const { url, verb, mark } of operations) {
    if (mark === undefined) continue
    const operation = operationAt(url, mark, services)
    const item = paths[url] as Record<string, OperationObject>
    item[verb] = { ...operation, operationId: takeName(String(operation.operationId), ids) }
  }
  const { securitySchemes } = services
  for (const { operation, schemes, requirements } of operations) {
    delete operation[postponedKey]
    const security = schemes === undefined ? requirements : securitySchemes.require(schemes)
    if (security !== undefined) operation.security = security
    if (schemes !== undefined && services.isSince32) describeEvents(operation, services)
  }
  if (security !== undefined) document.security = security
  const { mcpPath } = pluginState(marks[0]?.entry.app)
  if (mcpPath !== undefined) document['x-mcp'] = mcpPath
  const allOperations = Object.values(paths).flatMap((item) => Object.values(item))
  for (const { security = [] } of [...allOperations, document]) securitySchemes.requireByName(security)
  document.components = { ...components, ...services.maps, securitySchemes: securitySchemes.declared }
  const tagNames = new Set(tags.map(({ name }) => name))
  const serviceTags = [...new Set(marks.map(({ entry }) => entry.path))].map((path) => ({
    name: path || '/',
    description: `The service at \`/${path}\`.`
  }))
  document.tags = [...tags, ...serviceTags.filter(({ name }) => !tagNames.has(name))]
}

/** Describes the events of the route of streams: `@fastify/swagger` leaves `itemSchema` out. */
function describeEvents({ responses }: OperationObject, services: DocumentedServices): void {
  const { content } = Object(Object(responses)[200])
  if (content?.[eventStream] !== undefined) content[eventStream] = toEventStream(services)
}

/** Returns whether a route has its own operation. Methods that a header selects share one. */
export function isShown({ name, endpoint }: RouteMark, { methods }: ServiceDescription, version: string): boolean {
  if (endpoint.verb === 'QUERY' && !isSince32(version)) return false
  const method = methodIn(methods, name)
  if (method.schema.hide || formAt(method, endpoint) === undefined) return false
  return !method.isByHeader || sharingPost(methods)[0] === method
}

const methodIn = (methods: readonly MethodDescription[], name: string) =>
  methods.find((method) => method.name === name) as MethodDescription

/** Returns the form of a method at an endpoint. A QUERY has that of the GET at its URL. */
function formAt({ forms }: MethodDescription, { path, byHeader, verb }: Endpoint): Form | undefined {
  const formVerb = verb === 'QUERY' ? 'GET' : verb
  const form = forms.find((form) => form.path === path && form.byHeader === byHeader && form.verb === formVerb)
  return form && { ...form, verb }
}

/** Returns `create` and the methods that a header selects at its URL. */
function sharingPost(methods: readonly MethodDescription[]): readonly MethodDescription[] {
  const visible = methods.filter(({ schema }) => !schema.hide)
  return [...visible.filter(({ name }) => name === 'create'), ...visible.filter(({ isByHeader }) => isByHeader)]
}

function operationAt(url: string, { entry, name, endpoint }: RouteMark, services: DocumentedServices): Json {
  const service = services.at(entry.path)
  const { methods } = service.description
  const build = (method: MethodDescription, form: Form | undefined) =>
    toOperation({ url, method, form: form as Form, service, services })
  const method = methodIn(methods, name)
  const operation = build(method, formAt(method, endpoint))
  const [first, ...others] = sharingPost(methods)
  if (method !== first || others.length === 0) return operation
  const byName = others.map((other) => [other.name, build(other, other.forms[0])])
  return { ...operation, 'x-service-methods': Object.fromEntries(byName) }
}
