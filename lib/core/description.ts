import type { Deprecation } from '../../types/deprecation.js'
import { idFieldOf, isAdapter, takesMany } from './adapters/feathers.js'
import { nullOrderOf } from './adapters/null-order.js'
import { deprecationOf } from './deprecation.js'
import { attempt, readProperty } from './errors.js'
import {
  type AddedFields,
  aroundHooksOf,
  type HookStore,
  hooksInOrder,
  type OperationDocs,
  type SecurityScheme,
  traitsOf
} from './hooks.js'
import { custom, type Endpoint, endpointsOf, type MethodDefinition, methods } from './methods.js'
import { placeholdersIn } from './path.js'
import { rulesOf } from './resource/method-rules.js'
import type { ServiceEntry, ServiceMethod } from './service.js'
import { type MethodSchema, metaOf } from './service-meta.js'

/** The events of the six methods. */
export const standardEvents = [...methods.values()].flatMap(({ event }) => event ?? [])

/** An endpoint of a method, for many records or for a single one. */
export interface Form extends Endpoint {
  readonly hasId: boolean
  readonly isMany: boolean
}

export interface MethodDescription {
  readonly name: string
  readonly definition: MethodDefinition
  /** Whether it is none of the six standard methods. */
  readonly isCustom: boolean
  /**
   * Whether it is called by a header alone. OpenAPI can't show that: there a path has one operation
   * for each verb.
   */
  readonly isByHeader: boolean
  readonly forms: readonly Form[]
  readonly schema: MethodSchema
  /** The fields of its records that do not leave. */
  readonly hidden: readonly string[]
  /** Fields that its records have if its query asks for them, by parameter. */
  readonly added: ReadonlyMap<string, AddedFields>
  /**
   * The alternatives by which a caller may authenticate, as in OpenAPI: each is a set of security
   * schemes by name. None: anybody may call.
   */
  readonly security: readonly Readonly<Record<string, SecurityScheme>>[]
  /** Descriptions of who may do what, from hooks: roles, and which records. */
  readonly access: readonly string[]
  /** Returns the headers and statuses that hooks add to the operation at a URL. */
  openapi(form: Form): readonly OperationDocs[]
}

/** A registered service as its callers over HTTP see it. */
export interface ServiceDescription {
  readonly path: string
  /** The field of a record that holds its id. */
  readonly idField: string
  /** Whether `find` answers pages: `undefined` where the service does not say. */
  readonly isPaged: boolean | undefined
  /** Whether clients can walk through its pages by cursors. */
  readonly takesCursors: boolean
  /** Whether its queries are those of the database adapters of Feathers. */
  readonly isAdapter: boolean
  readonly methods: readonly MethodDescription[]
  /** Whether its lists are answered with a stream of events, where that is accepted. */
  readonly hasEvents: boolean
  /** Whether its errors are problem details, unless other JSON is asked for. */
  readonly hasProblems: boolean
}

/** A service that `describe` can read. */
export interface Describable extends ServiceEntry {
  /** The methods that HTTP may call. */
  readonly exposed: readonly string[]
  /** The hooks of all services. */
  readonly common: HookStore
  /** Whether its errors are problem details, unless other JSON is asked for. */
  readonly hasProblems: boolean
  readonly options: {
    readonly schema?: Readonly<Record<string, object | undefined>>
    readonly before?: unknown
    readonly events?: readonly string[] | undefined
    readonly deprecated?: true | Deprecation
  }
  /**
   * Answers a request for a list with a stream of its changes, if the application has the plugin of
   * events.
   */
  listen?: (request: unknown, reply: unknown) => unknown
}

/**
 * Describes a service, for everything that shows it. Pages and calls for many records are read from
 * its `options`, where the database adapters of Feathers have `id`, `paginate` and `multi`.
 */
export function describe(entry: Describable): ServiceDescription {
  const { paginate } = Object(readProperty(entry.object, 'options'))
  const documentation = metaOf(entry.object).document?.()
  const isDeprecated = (name: string) => deprecationOf(entry.options.deprecated, name) !== undefined
  const describeMethod = (name: string): MethodDescription => {
    const { definition } = entry.methods.get(name) as ServiceMethod
    const { hasId, callers, ...documented } = documentation?.[name] ?? {}
    const isMany = name === 'find' || answersMany(entry.object, name, entry.options.schema?.[name])
    return {
      name,
      definition,
      isCustom: !methods.has(name),
      isByHeader: definition === custom,
      forms: endpointForms(definition, isMany, hasId),
      schema: { ...documented, ...entry.options.schema?.[name], ...(isDeprecated(name) && { deprecated: true }) },
      hidden: removedFields(entry, name),
      added: addedFields(entry, name),
      security: callers ?? guardSchemes(entry, name),
      // Two hooks may say the same.
      access: [
        ...new Set(hooksAround(entry, name).flatMap((hook) => traitsOf(hook).describeAccess?.(entry, name) ?? []))
      ],
      openapi: ({ verb, hasId }) =>
        hooksAround(entry, name).flatMap((hook) => traitsOf(hook).openapi?.({ method: name, verb, hasId }, entry) ?? [])
    }
  }
  const isPaged =
    paginate === undefined ? undefined : Boolean(readProperty(paginate, 'default') ?? readProperty(paginate, 'max'))
  return {
    path: entry.path,
    idField: idFieldOf(entry.object),
    isPaged,
    takesCursors: isPaged === true && nullOrderOf(entry.object) !== undefined,
    isAdapter: isAdapter(entry.object),
    methods: entry.exposed.map(describeMethod),
    hasEvents: entry.listen !== undefined,
    hasProblems: entry.hasProblems
  }
}

/**
 * Whether a method may be called for many records: by the option `multi` of its adapter, or
 * `create` by the option `lists` of `resource()`, which has the last word.
 */
export const answersMany = (object: object, method: string, schema: object | undefined): boolean =>
  (method === 'create' ? rulesOf(schema)?.body?.takesLists : undefined) ?? takesMany(object, method)

function endpointForms(definition: MethodDefinition, isMany: boolean, documentedHasId: boolean | undefined): Form[] {
  const all = endpointsOf(definition)
  // A method with a route of its own is called by a header, too.
  const shown = all.some(({ byHeader }) => !byHeader) ? all.filter(({ byHeader }) => !byHeader) : all
  const forms = shown.map((endpoint) => {
    const hasId = placeholdersIn(endpoint.path).includes('id')
    return { ...endpoint, hasId, isMany: isMany && !hasId }
  })
  if (documentedHasId !== undefined) return forms.filter(({ hasId }) => hasId === documentedHasId)
  return forms.filter((form) => form.hasId || form.isMany || definition.id !== 'optional')
}

/**
 * The middleware and the hooks around a method; of hooks those of some types alone, where they are
 * named.
 */
export function hooksAround(
  { hooks, common, options }: Describable,
  name: string,
  types?: readonly string[]
): unknown[] {
  const added = [...common.added, ...hooks.added].filter(
    ({ type, method }) => (method === 'all' || method === name) && types?.includes(type) !== false
  )
  return [options.before ?? [], added.map(({ hook }) => hook)].flat(2)
}

/** Returns the fields that hooks remove from the results of a method. */
export const removedFields = (entry: Describable, name: string): readonly string[] =>
  hooksAround(entry, name).flatMap((hook) => traitsOf(hook).removesFields ?? [])

/** Returns the hooks of this package that may refuse a call, in the order in which they run. */
export function rulesAround({ common, hooks, options }: Describable, name: string): readonly object[] {
  const added = [common, hooks].flatMap((store) => [
    ...aroundHooksOf(store, name),
    ...hooksInOrder(store, 'before', name)
  ])
  const all = [options.before ?? [], added.map(({ hook }) => hook)].flat(2).filter((hook) => traitsOf(hook).judge)
  const isOutermost = (hook: unknown) => traitsOf(hook).isOutermost === true
  return [...all.filter(isOutermost), ...all.filter((hook) => !isOutermost(hook))] as object[]
}

/** Returns the parameters by which a query of a method asks hooks to add fields to each record. */
export const addingParameters = (entry: Describable, name: string): readonly string[] =>
  addingHooks(entry, name).flatMap((hook) => traitsOf(hook).parameter ?? [])

/** Returns the paths of the services whose records a query of `find` adds to each record. */
export const servicesAdded = (entry: Describable, query: object): readonly string[] =>
  addingHooks(entry, 'find').flatMap((hook) => {
    const { parameter = '', servicesAdded } = traitsOf(hook)
    const value: unknown = Reflect.get(query, parameter)
    return value === undefined ? [] : (servicesAdded?.(entry, value) ?? [])
  })

const addedFields = (entry: Describable, name: string): ReadonlyMap<string, AddedFields> =>
  new Map(
    addingHooks(entry, name).flatMap((hook) => {
      const { parameter, describeAdded } = traitsOf(hook)
      return parameter === undefined || describeAdded === undefined ? [] : [[parameter, describeAdded(entry)] as const]
    })
  )

const addingHooks = (entry: Describable, name: string): unknown[] =>
  name === 'find' || name === 'get' ? hooksAround(entry, name, ['around']) : []

/**
 * The security requirements of the guards around a method. Since each guard must let a call in,
 * every combination of their schemes is an alternative.
 */
function guardSchemes(entry: Describable, name: string) {
  const guards = hooksAround(entry, name).flatMap((hook) => {
    const schemes = traitsOf(hook).security?.(entry, name)
    return schemes === undefined ? [] : [Object.entries(schemes).map(([name, scheme]) => ({ [name]: scheme }))]
  })
  return guards.reduce<Record<string, SecurityScheme>[]>(
    (sets, schemes) =>
      sets.length === 0 ? schemes : sets.flatMap((set) => schemes.map((scheme) => ({ ...set, ...scheme }))),
    []
  )
}

/**
 * The response schemas of a method by status, in lower case. A schema without a status applies to
 * every success.
 */
export function responsesIn(response: unknown): Map<string, unknown> {
  const isMap = Object.keys(response ?? {}).every((key) => /^([1-5](\d\d|xx)|default)$/i.test(key))
  const byStatus = Object.entries((isMap ? response : { '2xx': response }) ?? {})
  return new Map(byStatus.map(([status, schema]) => [status.toLowerCase(), schema]))
}

/** The key of the options of a route under which this package keeps what documents show of it. */
const routeMark = Symbol('documented route')

interface MarkedRoute {
  [routeMark]?: { readonly service?: RouteMark; readonly documentation?: () => RouteDocumentation }
}

const marksOf = (route: unknown) => attempt(() => (Object(route) as MarkedRoute)[routeMark])

/**
 * The metadata of a route for other plugins: its service, the method that it calls, and the
 * endpoint.
 */
export interface RouteMark {
  readonly entry: Describable
  readonly name: string
  readonly endpoint: Endpoint
  /** The schemas of `app.addSchema`, which may come until the start. */
  readonly shared: () => Readonly<Record<string, unknown>>
}

/** Marks a route under a private symbol. */
export const withMark = <R extends object>(route: R, service: RouteMark): R => ({ ...route, [routeMark]: { service } })

export const markOf = (route: unknown): RouteMark | undefined => marksOf(route)?.service

/** The documentation of a route that is not a method of a service. */
export interface RouteDocumentation {
  readonly schema: object
  readonly security: MethodDescription['security']
}

/**
 * Marks a route that is no method of a service with the schema that documents show of it. The route
 * itself has no such schema, since an application may compile all schemas with a library, and a
 * document that is not made by `openapi()` may have no security schemes.
 * @param documentation read when a document is made
 */
export const withDocumentation = <R extends object>(route: R, documentation: () => RouteDocumentation): R => ({
  ...route,
  [routeMark]: { documentation }
})

export const documentationOf = (route: unknown): RouteDocumentation | undefined =>
  attempt(() => marksOf(route)?.documentation?.())
