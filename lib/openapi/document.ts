import {
  type Describable,
  describe,
  type Form,
  type MethodDescription,
  markOf,
  type RouteMark
} from '../core/description.js'
import type { Endpoint } from '../core/methods.js'
import type { ComponentNames, Parts } from './components.js'
import type { Json } from './json-schema.js'
import { toOperation } from './operation.js'
import { restoreSecurity, type SecurityRequirements, type SecuritySchemes } from './security.js'
import { DocumentedServices } from './service.js'

/** Stands in the operations that `@fastify/swagger` has made of the routes of services: which route it was. */
const placeholder = 'x-fastify-services'

/** What stands in the document for a route of a service until it is complete; `undefined` for another route. */
export function placeholderOf(route: unknown): Json | undefined {
  const mark = markOf(route)
  if (mark === undefined) return undefined
  const isShown = (route as { method?: unknown }).method !== 'HEAD' && isVisible(mark)
  // `@fastify/swagger` walks through whatever object stands in an operation, and the service of a mark may lead back to itself.
  return isShown ? { [placeholder]: () => mark } : { hide: true }
}

function isVisible({ entry, name, endpoint }: RouteMark): boolean {
  const { methods } = describe(entry)
  const method = methods.find((description) => description.name === name) as MethodDescription
  if (method.schema.hide || formAt(method, endpoint) === undefined) return false
  return !method.isByHeader || headersOf(methods)[0] === method
}

/** The form of a method at an endpoint, where it is shown. */
const formAt = ({ forms }: MethodDescription, endpoint: Endpoint) =>
  forms.find(
    ({ path, byHeader, verb }) => path === endpoint.path && byHeader === endpoint.byHeader && verb === endpoint.verb
  )

/** The methods that are called by a header, those that the verb leaves room for first. */
function headersOf(methods: readonly MethodDescription[]): (MethodDescription | undefined)[] {
  const shown = methods.filter(({ schema }) => !schema.hide)
  const hasCreate = shown.some(({ name }) => name === 'create')
  return [...(hasCreate ? [undefined] : []), ...shown.filter(({ isByHeader }) => isByHeader)]
}

interface OperationObject extends Record<string, unknown> {
  security?: SecurityRequirements
}

interface Document {
  paths: Record<string, Record<string, OperationObject>>
  security?: SecurityRequirements | undefined
  tags?: { name: string; description?: string }[]
  components: Partial<Parts>
}

/**
 * Replaces what stands for the routes of services by their operations, and adds the components that those refer to.
 * @param security the requirements of the whole document
 */
export function completeDocument<D extends object>(
  original: D,
  names: ComponentNames,
  security: SecurityRequirements | undefined
): D {
  const document = original as Document
  const operations = Object.entries(document.paths).flatMap(([url, item]) =>
    Object.entries(item).map(([verb, operation]) => ({ url, verb, item, operation }))
  )
  const marked = operations.flatMap((operation) => {
    const read = operation.operation[placeholder] as (() => RouteMark) | undefined
    return read === undefined ? [] : [{ ...operation, mark: read() }]
  })
  const entries = new Set(marked.map(({ mark }) => mark.entry))
  const { schemas, parameters, responses, securitySchemes } = document.components
  // The others are those of the options, and are there for the next document.
  const parts = {
    schemas: schemas as Parts['schemas'],
    parameters: { ...parameters },
    responses: { ...responses },
    securitySchemes: { ...securitySchemes }
  }
  const services = new DocumentedServices(sharedOf(marked.map(({ mark }) => mark)), parts, names)
  const ids = new Set(operations.map(({ operation }) => operation.operationId))
  for (const { url, verb, item, mark } of marked) {
    const operation = operationAt(url, mark, services)
    item[verb] = { ...operation, operationId: unique(String(operation.operationId), ids) }
  }
  if (security !== undefined) document.security = security
  declareSchemes(document, services.securitySchemes)
  document.components = { ...document.components, ...parts, securitySchemes: services.securitySchemes.declared }
  document.tags = tagsOf(entries, document)
  return original
}

/** The services with the schemas that the applications around them share. */
const sharedOf = (marks: readonly RouteMark[]) => new Map(marks.map(({ entry, shared }) => [entry, shared()]))

function operationAt(url: string, { entry, name, endpoint }: RouteMark, services: DocumentedServices): Json {
  const service = services.at(entry.path)
  const { methods } = service.description
  const build = (method: MethodDescription, form: Form | undefined) =>
    toOperation({ url, method, form: form as Form, service, services })
  const method = methods.find((description) => description.name === name) as MethodDescription
  const operation = build(method, formAt(method, endpoint))
  const [first, ...others] = headersOf(methods)
  if ((name !== 'create' && method !== first) || others.length === 0) return operation
  const more = others.map((other) => [other?.name, build(other as MethodDescription, other?.forms[0])])
  return { ...operation, 'x-service-methods': Object.fromEntries(more) }
}

/** No two operations of a document may have the same id. */
function unique(id: string, ids: Set<unknown>): string {
  let name = id
  for (let number = 2; ids.has(name); number++) name = `${id}${number}`
  ids.add(name)
  return name
}

/** Declares the schemes that operations and the document require. */
function declareSchemes({ paths, security = [] }: Document, schemes: SecuritySchemes): void {
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  for (const operation of operations) restoreSecurity(operation, schemes)
  for (const operation of operations) schemes.requireByName(operation.security ?? [])
  schemes.requireByName(security)
}

function tagsOf(entries: ReadonlySet<Describable>, { tags = [] }: Document) {
  const tagNames = tags.map(({ name }) => name)
  const serviceTags = [...entries].map(({ path }) => ({
    name: path || '/',
    description: `The service at \`/${path}\`.`
  }))
  return [...tags, ...serviceTags.filter(({ name }) => !tagNames.includes(name))]
}
