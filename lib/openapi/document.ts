import { type Describable, describe, type Form, type MethodDescription } from '../core/description.js'
import type { Endpoint } from '../core/endpoints.js'
import { markOf, type RouteMark } from '../core/route-mark.js'
import type { Parts } from './components.js'
import { isObject, type Json } from './json-schema.js'
import { toOperation } from './operation.js'
import { DocumentedServices } from './service.js'

/** Stands in the operations that `@fastify/swagger` has made of the routes of services: which route it was. */
const placeholder = 'x-fastify-services'

/** What stands in the document for a route of a service until it is complete; `undefined` for another route. */
export function placeholderOf(route: unknown): Json | undefined {
  const mark = markOf(route)
  if (mark === undefined) return undefined
  const isShown = (route as { method?: unknown }).method !== 'HEAD' && isVisible(mark)
  return isShown ? { [placeholder]: mark } : { hide: true }
}

function isVisible({ entry, name, endpoint }: RouteMark): boolean {
  const { methods } = describe(entry)
  const method = methods.find((one) => one.name === name) as MethodDescription
  if (method.schema.hide || formAt(method, endpoint) === undefined) return false
  return !method.isByHeader || headersOf(methods)[0] === method
}

/** The form of a method at an endpoint, where it is shown. */
const formAt = ({ forms }: MethodDescription, { path, byHeader }: Endpoint) =>
  forms.find((form) => form.path === path && form.byHeader === byHeader)

/** The methods that are called by a header, those that the verb leaves room for first. */
function headersOf(methods: readonly MethodDescription[]): (MethodDescription | undefined)[] {
  const shown = methods.filter(({ schema }) => !schema.hide)
  const hasCreate = shown.some(({ name }) => name === 'create')
  return [...(hasCreate ? [undefined] : []), ...shown.filter(({ isByHeader }) => isByHeader)]
}

interface Document {
  paths?: Record<string, Json>
  tags?: { name: string; description?: string }[]
  components?: Partial<Parts>
}

/** Replaces what stands for the routes of services by their operations, and adds the components that those refer to. */
export function completeDocument<D extends object>(given: D): D {
  const document = given as Document
  const operations = Object.entries(document.paths ?? {}).flatMap(([url, item]) =>
    Object.entries(item).map(([verb, operation]) => ({ url, verb, item, operation: operation as Json }))
  )
  const marked = operations.flatMap((one) => {
    const mark = isObject(one.operation) ? (one.operation[placeholder] as RouteMark | undefined) : undefined
    return mark === undefined ? [] : [{ ...one, mark }]
  })
  const entries = new Set(marked.map(({ mark }) => mark.entry))
  const parts: Parts = { schemas: {}, parameters: {}, responses: {}, securitySchemes: {}, ...document.components }
  const services = new DocumentedServices(entries, parts)
  const ids = new Set(operations.map(({ operation }) => operation?.operationId))
  for (const { url, verb, item, mark } of marked) {
    const operation = operationAt(url, mark, services)
    item[verb] = { ...operation, operationId: unique(String(operation.operationId), ids) }
  }
  document.components = { ...parts, securitySchemes: securityOf(services, parts.securitySchemes, document) }
  document.tags = tagsOf(entries, document)
  return given
}

function operationAt(url: string, { entry, name, endpoint }: RouteMark, services: DocumentedServices): Json {
  const service = services.at(entry.path)
  const { methods } = service.description
  const build = (method: MethodDescription, form: Form | undefined) =>
    toOperation({ url, method, form: form as Form, service, services })
  const method = methods.find((one) => one.name === name) as MethodDescription
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

/** The schemes that operations ask for, and those that were there. */
function securityOf(services: DocumentedServices, given: Record<string, unknown>, { paths }: Document) {
  const known = { ...services.schemes, ...given }
  const used = JSON.stringify(
    Object.values(paths ?? {}).flatMap((item) => Object.values(item).map((one) => Object(one).security))
  )
  return Object.fromEntries(
    Object.entries(known).filter(([name]) => (name in services.schemes ? used.includes(`"${name}"`) : true))
  )
}

function tagsOf(entries: ReadonlySet<Describable>, { tags = [] }: Document) {
  const known = tags.map(({ name }) => name)
  const own = [...entries].map(({ path }) => ({ name: path || '/', description: `The service at \`/${path}\`.` }))
  return [...tags, ...own.filter(({ name }) => !known.includes(name))]
}
