import type { MethodRoute } from '../../../types/call.js'
import type { CustomMethod } from '../../../types/custom-method.js'
import type { JsonSchema } from '../../../types/standard-schema.js'
import type { WrittenSchema } from '../../schema/written-schema.js'
import type { BodyRules } from './body-rules.js'
import type { QueryParameters, QueryRules } from './query-rules.js'

/** The rules of a method of a resource, beside its JSON Schemas. */
export interface MethodRules {
  readonly method: string
  /** The schema of the response, for documents. */
  readonly response: JsonSchema
  readonly outgoing: Outgoing
  readonly query: QueryRules
  readonly querystring: JsonSchema
  readonly body: BodyRules | undefined
  readonly record: RecordRules
  /** The rules of a custom method. */
  readonly custom: CustomRules | undefined
}

/** The schema by which results are projected. */
export interface Outgoing {
  readonly written: WrittenSchema
  /**
   * Whether scalars are converted to its types. Not if it describes the input of a transformation.
   */
  readonly converts: boolean
}

/** The schemas of the record that all methods of a resource share. */
export interface RecordRules {
  /** The schema of a record as clients send it. */
  readonly incoming: WrittenSchema
  readonly outgoing: Outgoing
  /** Whether the option `response` gives the schema of responses. */
  readonly hasOwnResponse: boolean
  /** The standard methods that clients may not call. */
  readonly closed: ReadonlySet<string>
  /** The schemas of bodies that options give. Fields that they flag as `writeOnly` are hidden. */
  readonly bodies: readonly WrittenSchema[]
}

/** A custom method that a resource declares. */
interface CustomRules extends Declared {
  /** The parameters that the query may have. */
  readonly parameters: QueryParameters
}

/** The options of the declaration that are no schemas. */
type Declared = { readonly [Name in 'route' | 'produces' | 'event' | 'allow' | 'idempotency']: CustomMethod[Name] }

/**
 * The key of the rules in the schemas of a method. A symbol, so that copies by spread keep them.
 */
export const rulesKey = Symbol('rules of a resource')

/** Returns the rules in a schema that `resource()` has created for a method. */
export const rulesOf = (schema: object | undefined): MethodRules | undefined =>
  (schema as { [rulesKey]?: MethodRules } | undefined)?.[rulesKey]

/** Schemas by method, as in the option `schema` of a service. */
type SchemasByMethod = Readonly<Record<string, object | undefined>>

/** Returns the record of the resource that has created these schemas, if one has. */
export const recordRulesOf = (schemas: SchemasByMethod = {}): RecordRules | undefined =>
  Object.values(schemas).map(rulesOf).find(Boolean)?.record

/** Returns the standard methods that any resource in the schemas of a service closes. */
export const closedIn = (schemas: SchemasByMethod = {}): ReadonlySet<string> =>
  new Set(Object.values(schemas).flatMap((schema) => [...(rulesOf(schema)?.record.closed ?? [])]))

/** Returns the custom methods that a resource declares. */
export const declaredIn = (schemas: SchemasByMethod = {}): ReadonlyMap<string, CustomRules> =>
  new Map(
    Object.entries(schemas).flatMap(([name, schema]) => {
      const custom = rulesOf(schema)?.custom
      return custom === undefined ? [] : [[name, custom] as const]
    })
  )

/** Returns the routes of custom methods. Options override those of a resource. */
export function routesOf(
  schemas: SchemasByMethod | undefined,
  optionRoutes: Readonly<Record<string, MethodRoute>> | undefined,
  names?: readonly string[]
): Readonly<Record<string, MethodRoute>> | undefined {
  const declared = [...declaredIn(schemas)].flatMap(([name, { route }]) =>
    route === undefined || names?.includes(name) === false ? [] : [[name, route] as const]
  )
  return declared.length === 0 ? optionRoutes : { ...Object.fromEntries(declared), ...optionRoutes }
}
