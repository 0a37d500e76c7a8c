import type { MethodRoute } from '../../../types/call.js'
import type { JsonSchema } from '../../../types/standard-schema.js'
import type { WrittenSchema } from '../../schema/written-schema.js'
import type { BodyRules } from './body-rules.js'
import type { QueryParameters, QueryRules } from './query-rules.js'

/** What the server needs of a method beside its JSON Schemas. */
export interface MethodRules {
  readonly method: string
  /** The schema of the response that documents show. */
  readonly response: JsonSchema
  readonly outgoing: Outgoing
  readonly query: QueryRules
  readonly querystring: JsonSchema
  readonly body: BodyRules | undefined
  readonly record: RecordRules
  /** What a custom method says besides. */
  readonly custom: CustomRules | undefined
}

/** How results leave the server. */
export interface Outgoing {
  readonly written: WrittenSchema
  /**
   * Whether scalars are converted to the types of the schema. Not where it describes the input of a
   * transforming schema.
   */
  readonly converts: boolean
}

/** The record that all methods of a resource are about. */
export interface RecordRules {
  /** The schema of a record as clients send it. */
  readonly incoming: WrittenSchema
  readonly outgoing: Outgoing
  /** Whether the option `response` has the schema of the record as it leaves. */
  readonly hasOwnResponse: boolean
  /** The schemas of bodies that options give. What they flag as `writeOnly` does not leave. */
  readonly bodies: readonly WrittenSchema[]
}

/** A custom method that a resource declares. */
export interface CustomRules {
  readonly route: MethodRoute | undefined
  /** The parameters that the query may have. */
  readonly parameters: QueryParameters
  /** The types of content that it answers, where that is no JSON. */
  readonly produces: readonly string[] | undefined
}

/** The symbol under which the schemas of a method hold its rules. */
export const rulesKey = Symbol('rules of a resource')

/** Returns the rules of a schema that `resource()` has made for a method. */
export const rulesOf = (schema: object | undefined): MethodRules | undefined =>
  (schema as { [rulesKey]?: MethodRules } | undefined)?.[rulesKey]

/** Schemas by method: the option `schema` of a service, which may hold those of a resource. */
export type SchemasByMethod = Readonly<Record<string, object | undefined>>

/** The record of the resource that schemas are of; `undefined` where they are of none. */
export const recordRulesOf = (schemas: SchemasByMethod = {}): RecordRules | undefined =>
  Object.values(schemas).map(rulesOf).find(Boolean)?.record

/** The custom methods that a resource declares, with their routes. */
export const declaredIn = (schemas: SchemasByMethod = {}): ReadonlyMap<string, MethodRoute | undefined> =>
  new Map(
    Object.entries(schemas).flatMap(([name, schema]) => {
      const custom = rulesOf(schema)?.custom
      return custom === undefined ? [] : [[name, custom.route] as const]
    })
  )

/** The routes of custom methods that schemas and options name; the options have the last word. */
export function routesOf(
  schemas: SchemasByMethod | undefined,
  optionRoutes: Readonly<Record<string, MethodRoute>> | undefined,
  names?: readonly string[]
): Readonly<Record<string, MethodRoute>> | undefined {
  const declared = [...declaredIn(schemas)].flatMap(([name, route]) =>
    route === undefined || names?.includes(name) === false ? [] : [[name, route] as const]
  )
  return declared.length === 0 ? optionRoutes : { ...Object.fromEntries(declared), ...optionRoutes }
}
